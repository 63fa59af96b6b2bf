import type { Queries } from '../queries.ts';

/**
 * Until the end of the transaction no other one reserves or counts bytes of the tenant. Its later statements see what others did before.
 * Every transaction that needs both locks the rows of the session first.
 */
export async function lockTenant(tx: Queries, { tenant }: { tenant: string }): Promise<void> {
  const bounded = boundLocks(tx);
  const locked = tx.sql`
    insert into tenants (tenant) values (${tenant}) on conflict (tenant) do update set tenant = excluded.tenant`.execute();
  await Promise.all([bounded, locked]);
}

/**
 * Sent at once, before the statements that lock. A replica that is stopped in the middle of the transaction must not keep the others of the
 * tenant waiting for long.
 */
export async function boundLocks({ sql }: Queries): Promise<void> {
  await sql`
    select set_config('idle_in_transaction_session_timeout', '2s', true), set_config('lock_timeout', '5s', true)`.execute();
}
