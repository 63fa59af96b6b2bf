import type { Queries } from '../queries.ts';
import type { StepRow } from '../schema/steps.ts';

/** The charges of a step that has ended: the rest of its budget at its end, and the tokens that its host has reported. */
export type Charges = Pick<StepRow, 'budgetRemaining' | 'tokensUsed'>;

export const noCharges: Charges = { budgetRemaining: null, tokensUsed: null };

export async function findCharges({ sql }: Queries, { stepId }: { stepId: string }): Promise<Charges> {
  const [row] = await sql<Charges[]>`
    select budget_remaining as "budgetRemaining", tokens_used::float8 as "tokensUsed" from steps where id = ${stepId}`;
  return row ?? noCharges;
}
