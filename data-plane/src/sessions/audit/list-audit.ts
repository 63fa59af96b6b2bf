import type { AuditEntry, AuditStatistics, Page, TenantAuditEntry } from '@holdfast/specs/public';
import { countAudit } from '../../registry/audit/count-audit.ts';
import { type ListedAuditEntry, listAudit as list } from '../../registry/audit/list-audit.ts';
import { listTenantAudit as listOfTenant } from '../../registry/audit/list-tenant-audit.ts';
import type { Database } from '../../registry/connect.ts';
import { findSession } from '../../registry/sessions/find-session.ts';
import type { Caller } from '../caller.ts';
import { deletionOf, noSession } from '../existing-session.ts';

type Dependencies = { db: Database };

type ListInput = {
  caller: Caller;
  sessionId: string;
  turn?: number | undefined;
  operation?: string | undefined;
  limit: number;
  cursor?: string | undefined;
};

/**
 * A page of the audit log of a session, oldest first. The log of a deleted session stays readable.
 * @throws Problem 404 if the tenant never had such a session
 */
export async function listAudit(
  { db }: Dependencies,
  { caller: { tenant }, sessionId, ...query }: ListInput,
): Promise<Page<AuditEntry>> {
  const { items, nextCursor } = await list(db, { sessionId, tenant, ...query });
  if (items.length === 0) await refuseUnknown(db, { sessionId, tenant });
  return { items: items.map((entry) => view(entry, sessionId)), nextCursor };
}

/** A page of the entries that belong to no session, oldest first: those of the caller's tenant, or of all tenants for a key with the scope `admin`. */
export async function listTenantAudit(
  { db }: Dependencies,
  { caller, ...query }: Omit<ListInput, 'sessionId' | 'turn'>,
): Promise<Page<TenantAuditEntry>> {
  const tenant = caller.scopes.has('admin') ? null : caller.tenant;
  const { items, nextCursor } = await listOfTenant(db, { tenant, ...query });
  return { items: items.map(tenantView), nextCursor };
}

/**
 * How often each operation was done, and what it took.
 * @throws Problem 404 if the tenant never had such a session
 */
export async function readAuditStatistics(
  { db }: Dependencies,
  { caller: { tenant }, sessionId }: Pick<ListInput, 'caller' | 'sessionId'>,
): Promise<AuditStatistics> {
  const items = await countAudit(db, { sessionId, tenant });
  if (items.length === 0) await refuseUnknown(db, { sessionId, tenant });
  return { items };
}

/** A session that the tenant has or had may have no such entries. */
async function refuseUnknown(db: Database, { sessionId: id, tenant }: { sessionId: string; tenant: string }) {
  if (!(await findSession(db, { id, tenant })) && !(await deletionOf(db, { id, tenant }))) throw noSession(id);
}

const view = ({ time, ...entry }: ListedAuditEntry, sessionId: string): AuditEntry => ({
  ...entry,
  sessionId,
  time: time.toISOString(),
  arguments: entry.arguments as AuditEntry['arguments'],
});

const tenantView = ({
  time,
  ...entry
}: Awaited<ReturnType<typeof listOfTenant>>['items'][number]): TenantAuditEntry => ({
  ...entry,
  time: time.toISOString(),
  arguments: entry.arguments as TenantAuditEntry['arguments'],
});
