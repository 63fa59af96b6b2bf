import type { Queries } from '../queries.ts';

/**
 * Those of the paths at which the session's world has a file whose content nothing else in the session refers to, with the bytes of
 * that content. A file that replaces one of them frees those bytes.
 */
export async function listReplaceableFiles(
  { sql }: Queries,
  { sessionId, paths }: { sessionId: string; paths: readonly string[] },
): Promise<Map<string, number>> {
  const rows = await sql<{ path: string; size: number }[]>`
    with single as materialized (
      select min(path) as path, min(size) as size from (
        select sha256, size, path, true as is_world from world_files where session_id = ${sessionId}
        union all
        select sha256, size, path, false from artifacts where session_id = ${sessionId} and sha256 is not null
        union all
        select sha256, size, '', false from snapshots where session_id = ${sessionId} and sha256 is not null
        union all
        select before_sha256, before_size, path, false from proposal_changes
        where session_id = ${sessionId} and before_sha256 is not null
        union all
        select after_sha256, after_size, path, false from proposal_changes
        where session_id = ${sessionId} and after_sha256 is not null
        union all
        select f.sha256, f.size, f.path, false
        from snapshots n join snapshot_files f on f.snapshot_id = n.id where n.session_id = ${sessionId}
      ) as referenced
      group by sha256 having count(*) = 1 and bool_and(is_world)
    )
    select path, size::float8 as size from single where path = any(${[...paths]}::text[])`;
  return new Map(rows.map(({ path, size }) => [path, size]));
}
