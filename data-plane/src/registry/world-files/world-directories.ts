import type { Queries } from '../queries.ts';

/** The directories that a world may have. Further ones stay out. */
const directoriesMax = 100_000;
/** The index has no room for a much longer path. */
export const directoryPathBytesMax = 2048;
/** For all directories that are added at once: a few deep paths have many directories, each nearly as long. */
const addedBytesMax = 16 * 2 ** 20;

/** Adds directories to the world of the one session that the statement calls `session`. */
export function insertDirectories({ sql }: Queries, paths: readonly string[]) {
  return sql`
    insert into world_directories (session_id, path)
    select s.id, d.path from session s cross join lateral (
      select p.path from unnest(${bounded(paths)}::text[]) as p(path)
      where not exists (select from world_directories where session_id = s.id and path = p.path)
      order by p.path
      limit greatest(0, ${directoriesMax}::int - (select count(*) from world_directories where session_id = s.id))
    ) as d
    on conflict do nothing`;
}

function bounded(paths: readonly string[]): string[] {
  let bytes = 0;
  return paths.filter((path) => {
    const length = Buffer.byteLength(path);
    if (length > directoryPathBytesMax || bytes + length > addedBytesMax) return false;
    bytes += length;
    return true;
  });
}

/** The directories of a session's world, by path. */
export async function listWorldDirectories({ sql }: Queries, { sessionId }: { sessionId: string }): Promise<string[]> {
  const rows = await sql<{ path: string }[]>`
    select path from world_directories where session_id = ${sessionId} order by path`;
  return rows.map(({ path }) => path);
}
