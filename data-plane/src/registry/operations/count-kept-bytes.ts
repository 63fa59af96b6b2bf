import type { Queries } from '../queries.ts';

/** The bytes of the answers that the data-plane has given a step and keeps for its replay. */
export async function countKeptBytes({ sql }: Queries, { stepId }: { stepId: string }): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`
    select coalesce(sum(octet_length(answer)), 0)::float8 as bytes from kept_answers where step_id = ${stepId}`;
  return row?.bytes ?? 0;
}
