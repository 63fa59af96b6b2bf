import type { NewWorldFile } from '../artifacts/record-artifacts.ts';
import type { Database } from '../connect.ts';

/** The files of the session's world, by path. */
export async function listWorldFiles(
  { sql }: Pick<Database, 'sql'>,
  { sessionId }: { sessionId: string },
): Promise<NewWorldFile[]> {
  return await sql<NewWorldFile[]>`
    select path, encode(sha256, 'hex') as sha256, size::float8 as size from world_files
    where session_id = ${sessionId} order by path`;
}
