import type { Page } from '@holdfast/specs/public';
import { decodeTimeCursor, encodeCursor } from '../cursor.ts';
import type { Queries } from '../queries.ts';
import type { ListedAuditEntry } from './list-audit.ts';

type ListInput = {
  /** Null for all tenants. */
  tenant: string | null;
  operation?: string | undefined;
  limit: number;
  cursor?: string | undefined;
};

type Listed = Pick<ListedAuditEntry, 'id' | 'time' | 'actor' | 'actorName' | 'keyId' | 'operation' | 'arguments'> & {
  tenant: string;
};

/**
 * Entries that belong to no session, oldest first.
 * @throws Problem `invalid-request` if the cursor is invalid
 */
export async function listTenantAudit(
  { sql }: Queries,
  { tenant, operation, limit, cursor }: ListInput,
): Promise<Page<Listed>> {
  const { at, id } = cursor === undefined ? { at: new Date(0), id: '' } : decodeTimeCursor(cursor);
  const rows = await sql<Listed[]>`
    select * from (
      select 'a' || lpad(id::text, 19, '0') collate "C" as id, time, tenant, actor, actor_name as "actorName", key_id as "keyId",
        operation, arguments
      from audit_entries where session_id is null and (${tenant}::text is null or tenant = ${tenant})
    ) as entries
    where (time, id) > (${at}::timestamptz, ${id} collate "C") and (${operation ?? null}::text is null or operation = ${operation ?? null})
    order by time, id limit ${limit + 1}`;
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: last && rows.length > limit ? encodeCursor([last.time.getTime(), last.id]) : null };
}
