import type { BudgetRemaining } from '@holdfast/specs/public';
import type { Queries } from '../queries.ts';

/** The rest of a step's budget when the step ended; null if it had none, or is gone. */
export async function findRemaining({ sql }: Queries, { stepId }: { stepId: string }): Promise<BudgetRemaining | null> {
  const [row] = await sql<{ remaining: BudgetRemaining | null }[]>`
    select budget_remaining as remaining from steps where id = ${stepId}`;
  return row?.remaining ?? null;
}
