import type { Queries } from '../queries.ts';

/** The value as JSON, or null. */
export async function findMemo(
  { sql }: Queries,
  { sessionId, key }: { sessionId: string; key: string },
): Promise<string | null> {
  const [memo] = await sql<{ value: string }[]>`
    select value from memos where session_id = ${sessionId} and key = ${key}`;
  return memo?.value ?? null;
}
