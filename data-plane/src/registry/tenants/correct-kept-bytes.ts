import type { Queries } from '../queries.ts';
import { lockTenant } from './lock-tenant.ts';

/**
 * Sets the bytes of each tenant to the sum of its sessions and its named snapshots, if they differ: a data-plane of an earlier version deletes sessions without
 * subtracting theirs. Tenants that are right are not locked.
 */
export async function correctKeptBytes({ sql, transaction }: Queries): Promise<void> {
  const wrong = await sql<{ tenant: string }[]>`
    with sums as (select tenant, sum(bytes) as bytes from (${keptBytes(sql)}) as kept group by tenant)
    select tenant from sums full join tenants using (tenant) where coalesce(bytes, 0) <> coalesce(kept_bytes, 0)`;
  for (const { tenant } of wrong) {
    await transaction(async (tx) => {
      await lockTenant(tx, { tenant });
      await tx.sql`
        update tenants set kept_bytes = (select coalesce(sum(bytes), 0) from (${keptBytes(tx.sql)}) as kept where tenant = ${tenant})
        where tenant = ${tenant}`;
    });
  }
}

const keptBytes = (sql: Queries['sql']) => sql`
  select tenant, bytes from session_storage
  union all
  select tenant, kept_bytes from snapshots where name is not null`;
