import type { BudgetRemaining } from '@holdfast/specs/public';
import { columnsOf } from '../columns-of.ts';
import type { Queries } from '../queries.ts';
import { budgets } from '../schema/budgets.ts';

/** A budget with what is left of it. */
export type BudgetRow = Omit<typeof budgets.$inferSelect, 'createdAt'> & { remaining: BudgetRemaining };

/** The limits of a budget. Costs are decimals. */
export type Limits = Pick<BudgetRow, 'iterations' | 'timeMs' | 'tokens' | 'cost'>;

/** The columns of a `BudgetRow`, of the table as `b`. */
const columns = `${columnsOf(budgets, {
  cost: 'trim_scale(cost)::text',
  costUsed: 'trim_scale(cost_used)::text',
})}, budget_remaining(b) as remaining`;

/** Budgets by their ids, in any order. */
export async function findBudgets({ sql }: Queries, ids: readonly string[]): Promise<BudgetRow[]> {
  return await sql<BudgetRow[]>`select ${sql.unsafe(columns)} from budgets b where id = any(${[...ids]}::text[])`;
}

/** The budget of a session that has not ended, locked until the end of the transaction; null if it has none. */
export async function lockBudget(
  { sql }: Queries,
  { sessionId, tenant }: { sessionId: string; tenant: string },
): Promise<BudgetRow | null> {
  const [budget] = await sql<BudgetRow[]>`
    select ${sql.unsafe(columns)} from budgets b
    where id = (select budget_of from sessions where id = ${sessionId} and tenant = ${tenant} and ended_at is null) for update`;
  return budget ?? null;
}
