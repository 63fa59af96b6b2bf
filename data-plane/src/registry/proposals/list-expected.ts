import type { Queries } from '../queries.ts';
import { knownMode, knownTarget, type WorldFile } from '../world-files/list-world-files.ts';

/** The files and links that a session's working copy is expected to have, by path: those of the world with the open changes of its proposals. */
export async function listExpectedFiles(db: Queries, { sessionId }: { sessionId: string }): Promise<WorldFile[]> {
  const { sql } = db;
  return await sql<WorldFile[]>`
    select path, encode(sha256, 'hex') as sha256, size::float8 as size, executable, mode, target from (
      select distinct on (path) path, sha256, size, executable, mode, target from (
        select path, sha256, size, executable, ${knownMode(db)} as mode, ${knownTarget(db)} as target, 0 as number from world_files where session_id = ${sessionId}
        union all
        select path, after_sha256, after_size, after_executable, after_mode, after_target, number from proposal_changes
        where session_id = ${sessionId} and status = 'open' and kind <> 'directory'
      ) as states order by path, number desc
    ) as latest where sha256 is not null order by path`;
}

/** The same for directories. */
export async function listExpectedDirectories(
  { sql }: Queries,
  { sessionId }: { sessionId: string },
): Promise<string[]> {
  const rows = await sql<{ path: string }[]>`
    select path from (
      select distinct on (path) path, is_there from (
        select path collate "C" as path, true as is_there, 0 as number from world_directories where session_id = ${sessionId}
        union all
        select path, change <> 'deleted', number from proposal_changes
        where session_id = ${sessionId} and status = 'open' and kind = 'directory'
      ) as states order by path, number desc
    ) as latest where is_there order by path`;
  return rows.map(({ path }) => path);
}
