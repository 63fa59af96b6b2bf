import type { Queries } from '../queries.ts';

/** The bytes of all contents of a session's artifacts and world together, each content counted once. */
export async function countStoredBytes({ sql }: Queries, { sessionId }: { sessionId: string }): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`
    select coalesce(sum(size), 0)::float8 as bytes from (
      select sha256, size from artifacts where session_id = ${sessionId} and sha256 is not null
      union
      select sha256, size from world_files where session_id = ${sessionId}
    ) as referenced`;
  return row?.bytes ?? 0;
}
