import type { Queries } from '../queries.ts';

/** The answer of the data-plane to a call, as JSON; null if it has none that is kept. */
export async function findKeptAnswer(
  { sql }: Queries,
  { stepId, call }: { stepId: string; call: number },
): Promise<string | null> {
  const [kept] = await sql<{ answer: string }[]>`
    select answer from kept_answers where step_id = ${stepId} and call = ${call}`;
  return kept?.answer ?? null;
}
