import { type NewAuditEntry, recordAudit } from '../audit/record-audit.ts';
import type { Queries } from '../queries.ts';
import type { StorageLimits } from '../tenants/read-room.ts';
import { recountWithinLimits } from '../tenants/recount-within-limits.ts';

type PutMemoInput = {
  sessionId: string;
  key: string;
  value: string;
  countMax: number;
  bytesMax: number;
  limits: StorageLimits;
  entry: NewAuditEntry;
};

/**
 * Notes a value under a key of the session. False: the limits of memos would be exceeded.
 * @throws Problem 507
 */
export async function putMemo(
  db: Queries,
  { sessionId, key, value, countMax, bytesMax, limits, entry }: PutMemoInput,
): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const { sql } = tx;
    // The statement after the lock sees what other ones have put before it.
    await sql`select from sessions where id = ${sessionId} for no key update`;
    const { count } = await sql`
      insert into memos (session_id, key, value)
      select ${sessionId}, ${key}, ${value}
      from (
        select count(*) as count, coalesce(sum(octet_length(key) + octet_length(value)), 0) as bytes
        from memos where session_id = ${sessionId} and key <> ${key}
      ) as others
      where others.count < ${countMax}
        and others.bytes + octet_length(${key}::text) + octet_length(${value}::text) <= ${bytesMax}
      on conflict (session_id, key) do update set value = excluded.value, updated_at = now()`;
    if (count === 0) return false;
    await recordAudit(tx, entry);
    await recountWithinLimits(tx, { sessionId, tenant: entry.tenant, limits });
    return true;
  });
}
