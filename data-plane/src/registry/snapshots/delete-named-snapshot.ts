import { type NewAuditEntry, recordAudit } from '../audit/record-audit.ts';
import type { Queries } from '../queries.ts';
import { lockTenant } from '../tenants/lock-tenant.ts';

/** Deletes the tenant's snapshot of this name with its files; false if there is none. Sessions that have started from it keep what they have. */
export async function deleteNamedSnapshot(
  { transaction }: Queries,
  { tenant, name, entry }: { tenant: string; name: string; entry: NewAuditEntry },
): Promise<boolean> {
  return await transaction(async (tx) => {
    await lockTenant(tx, { tenant });
    const { count } = await tx.sql`
      with gone as (
        delete from snapshots where tenant = ${tenant} and name = ${name} returning kept_bytes
      )
      update tenants set kept_bytes = tenants.kept_bytes - gone.kept_bytes from gone where tenants.tenant = ${tenant}`;
    if (count > 0) await recordAudit(tx, entry);
    return count > 0;
  });
}
