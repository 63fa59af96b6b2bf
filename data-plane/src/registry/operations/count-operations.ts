import type { Queries } from '../queries.ts';

/** The operations that steps of the session have called and the host answers, without those that the policy denied. */
export async function countOperations({ sql }: Queries, { sessionId }: { sessionId: string }): Promise<number> {
  const [counted] = await sql<{ count: number }[]>`
    select count(*)::int as count from operations where session_id = ${sessionId} and status <> 'denied'`;
  return counted?.count ?? 0;
}
