import type { Queries } from '../queries.ts';

/** The bytes of files and artifacts that are kept for a session. */
export async function findKeptBytes({ sql }: Queries, { sessionId }: { sessionId: string }): Promise<number> {
  const [kept] = await sql<{ bytes: number }[]>`
    select bytes::float8 as bytes from session_storage where session_id = ${sessionId}`;
  return kept?.bytes ?? 0;
}
