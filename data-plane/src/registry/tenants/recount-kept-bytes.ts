import type { Queries } from '../queries.ts';

/**
 * Counts the bytes of all contents of a session's artifacts and world together, each content once. Every transaction that changes
 * either ends with this, so the number cannot differ from what is there.
 */
export async function recountKeptBytes({ sql }: Queries, { sessionId }: { sessionId: string }): Promise<void> {
  // Two statements, sent together: only one that begins after the lock was granted sees what the transactions before have written.
  const locked = sql`select from sessions where id = ${sessionId} for no key update`.execute();
  const counted = sql`
    with counted as (
      select coalesce(sum(size), 0)::int8 as bytes from (
        select sha256, size from artifacts where session_id = ${sessionId} and sha256 is not null
        union
        select sha256, size from world_files where session_id = ${sessionId}
      ) as referenced
    ), before as materialized (
      select id, tenant, kept_bytes from sessions where id = ${sessionId}
    ), changed as (
      update sessions set kept_bytes = bytes from counted, before
      where sessions.id = before.id and before.kept_bytes <> bytes
      returning before.tenant, bytes - before.kept_bytes as added
    )
    insert into tenants (tenant, kept_bytes) select tenant, added from changed
    on conflict (tenant) do update set kept_bytes = tenants.kept_bytes + excluded.kept_bytes`.execute();
  await Promise.all([locked, counted]);
}
