import type { Queries } from '../queries.ts';
import type { NewWorldFile } from './record-changes.ts';

/** A file of a world. */
export type WorldFile = NewWorldFile & { executable: boolean };

/** The files of the session's world, by path. */
export async function listWorldFiles({ sql }: Queries, { sessionId }: { sessionId: string }): Promise<WorldFile[]> {
  return await sql<WorldFile[]>`
    select path, encode(sha256, 'hex') as sha256, size::float8 as size, executable from world_files
    where session_id = ${sessionId} order by path`;
}
