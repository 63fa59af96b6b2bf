import type { Queries } from '../queries.ts';

/** `version` is the same for worlds with the same files, directories and open proposals. `bytes` counts each file. */
export type WorldVersion = { version: string; count: number; bytes: number };

export async function readWorldVersion({ sql }: Queries, { sessionId }: { sessionId: string }): Promise<WorldVersion> {
  const [row] = await sql<WorldVersion[]>`
    select
      md5(coalesce(string_agg(path || ' ' || encode(sha256, 'hex') || executable || coalesce(mode, '') || coalesce(target, ''), chr(10) order by path), '')) || ' ' || (
        select md5(coalesce(string_agg(path, chr(10) order by path), ''))
        from world_directories where session_id = ${sessionId}
      ) || ' ' || (
        select md5(coalesce(string_agg(
          number || ' ' || kind || ' ' || change || ' ' || path || ' ' || coalesce(encode(after_sha256, 'hex'), '') || ' '
            || coalesce(after_executable, false) || coalesce(after_mode, '') || coalesce(after_target, ''), chr(10) order by number, kind, path), ''))
        from proposal_changes where session_id = ${sessionId} and status = 'open'
      ) as version,
      count(*)::int as count, coalesce(sum(size), 0)::float8 as bytes
    from world_files where session_id = ${sessionId}`;
  return row as WorldVersion;
}

/**
 * Keeps the world of a session as it is until the end of the transaction: every change updates the row that is locked here.
 * @returns false if the world has another version by now
 */
export async function lockWorldVersion(
  tx: Queries,
  { sessionId, version }: { sessionId: string; version: string },
): Promise<boolean> {
  await tx.sql`select from worlds where session_id = ${sessionId} for share`;
  return (await readWorldVersion(tx, { sessionId })).version === version;
}
