import type { Queries } from '../queries.ts';
import type { Limits } from './find-budgets.ts';

/** Sets the limits of a budget. Its sessions become `budget_exceeded` or `active` in the same statement. */
export async function setLimits(
  { sql }: Queries,
  { id, iterations, timeMs, tokens, cost }: Limits & { id: string },
): Promise<void> {
  await sql`
    update budgets set
      iterations = ${iterations}::int, time_ms = ${timeMs}::float8, tokens = ${tokens}::bigint, cost = ${cost}::text::numeric
    where id = ${id}`;
}
