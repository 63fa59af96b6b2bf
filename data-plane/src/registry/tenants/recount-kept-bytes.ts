import type { Queries } from '../queries.ts';
import { boundLocks } from './lock-tenant.ts';

/**
 * Counts the bytes of all contents of a session's artifacts, world, proposals and snapshots together, each content once, and those of its memory.
 * Every transaction that adds to one of them ends with this. One that purges files is followed by it, so bytes may count for a moment longer. The row of the session is
 * locked first, because the foreign key of the row of its bytes asks for that lock anyway, but later, when two writes could wait for
 * each other.
 * @returns by how many bytes the session has grown
 */
export async function recountKeptBytes(tx: Queries, { sessionId }: { sessionId: string }): Promise<number> {
  // Sent together. Only a statement that begins after the lock was granted sees what the transactions before have written.
  const bounded = boundLocks(tx);
  const locked = tx.sql`
    insert into session_storage (session_id, tenant) select id, tenant from sessions where id = ${sessionId} for key share
    on conflict (session_id) do update set tenant = excluded.tenant`.execute();
  const counted = tx.sql<{ added: number }[]>`
    with counted as (
      select (
        (select coalesce(sum(octet_length(key) + octet_length(value)), 0) from memos where session_id = ${sessionId})
        + (select coalesce(sum(octet_length(subject) + octet_length(predicate) + octet_length(object)), 0)
          from facts where session_id = ${sessionId})
        + coalesce(sum(size), 0))::int8 as bytes from (
        select sha256, size from artifacts where session_id = ${sessionId} and sha256 is not null
        union
        select sha256, size from world_files where session_id = ${sessionId}
        union
        select sha256, size from snapshots where session_id = ${sessionId} and sha256 is not null
        union
        select before_sha256, before_size from proposal_changes where session_id = ${sessionId} and before_sha256 is not null
        union
        select after_sha256, after_size from proposal_changes where session_id = ${sessionId} and after_sha256 is not null
        union
        select f.sha256, f.size from snapshots n join snapshot_files f on f.snapshot_id = n.id where n.session_id = ${sessionId}
      ) as referenced
    ), before as materialized (
      select session_id, tenant, bytes from session_storage where session_id = ${sessionId}
    ), changed as (
      update session_storage s set bytes = counted.bytes from counted, before
      where s.session_id = before.session_id and before.bytes <> counted.bytes
      returning before.tenant, counted.bytes - before.bytes as added
    )
    insert into tenants (tenant, kept_bytes) select tenant, added from changed
    on conflict (tenant) do update set kept_bytes = tenants.kept_bytes + excluded.kept_bytes
    returning (select added from changed)::float8 as added`.execute();
  const [, , [changed]] = await Promise.all([bounded, locked, counted]);
  return changed?.added ?? 0;
}
