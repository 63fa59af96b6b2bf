import type { Queries } from '../queries.ts';
import type { NewWorldFile } from './record-changes.ts';

/** The files of the session's world, by path. */
export async function listWorldFiles({ sql }: Queries, { sessionId }: { sessionId: string }): Promise<NewWorldFile[]> {
  return await sql<NewWorldFile[]>`
    select path, encode(sha256, 'hex') as sha256, size::float8 as size from world_files
    where session_id = ${sessionId} order by path`;
}
