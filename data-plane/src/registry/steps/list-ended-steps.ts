import type { Queries } from '../queries.ts';

/** The ids of those steps whose end is recorded. */
export async function listEndedSteps(
  { sql }: Queries,
  { sessionId, stepIds }: { sessionId: string; stepIds: string[] },
): Promise<string[]> {
  if (stepIds.length === 0) return [];
  const rows = await sql<{ id: string }[]>`
    select id from steps where session_id = ${sessionId} and id = any(${stepIds}::text[]) and finished_at is not null`;
  return rows.map((row) => row.id);
}
