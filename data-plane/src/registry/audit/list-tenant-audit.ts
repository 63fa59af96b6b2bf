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
    select 'a' || lpad(id::text, 19, '0') as id, time, tenant, actor, actor_name as "actorName", key_id as "keyId", operation, arguments
    from audit_entries where session_id is null ${tenant === null ? sql`` : sql`and tenant = ${tenant}`}
      and (time, audit_entries.id) > (${at}::timestamptz, ${numberIn(id)}::int8)
      ${operation === undefined ? sql`` : sql`and operation = ${operation}`}
    order by time, audit_entries.id limit ${limit + 1}`;
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: last && rows.length > limit ? encodeCursor([last.time.getTime(), last.id]) : null };
}

function numberIn(id: string): number {
  const number = Number(id.slice(1));
  return Number.isSafeInteger(number) ? number : 0;
}
