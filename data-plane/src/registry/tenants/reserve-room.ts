import type { Queries } from '../queries.ts';
import type { WorldClaim } from '../world-files/claim-world.ts';

/**
 * Reserves bytes for the write that has the claim, instead of those that it reserved before. The reservation ends with the claim, and
 * counts no longer when the claim's replica is gone. Between `lockTenant` and this, `readRoom` says how much is left.
 */
export async function reserveRoom(
  { sql }: Queries,
  { claim: { sessionId, writer }, bytes }: { claim: WorldClaim; bytes: number },
): Promise<void> {
  await sql`
    update worlds set reserved_bytes = ${bytes}::int8 where session_id = ${sessionId} and writer = ${writer}`;
}

/** Until the end of the transaction no other one reserves or counts bytes of the tenant. Its later statements see what others did before. */
export async function lockTenant({ sql }: Queries, { tenant }: { tenant: string }): Promise<void> {
  await sql`
    insert into tenants (tenant) values (${tenant}) on conflict (tenant) do update set tenant = excluded.tenant`;
}
