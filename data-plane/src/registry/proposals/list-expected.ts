import type { Queries } from '../queries.ts';
import type { WorldFile } from '../world-files/list-world-files.ts';

/** The files that a session's working copy is expected to have, by path: those of the world with the open changes of its proposals. */
export async function listExpectedFiles({ sql }: Queries, { sessionId }: { sessionId: string }): Promise<WorldFile[]> {
  return await sql<WorldFile[]>`
    select path, encode(sha256, 'hex') as sha256, size::float8 as size, executable from (
      select distinct on (path) path, sha256, size, executable from (
        select path, sha256, size, executable, 0 as number from world_files where session_id = ${sessionId}
        union all
        select path, after_sha256, after_size, after_executable, number from proposal_changes
        where session_id = ${sessionId} and status = 'open' and kind = 'file'
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
