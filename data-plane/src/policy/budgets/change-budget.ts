import type { BudgetLimits } from '@holdfast/specs/public';
import { type BudgetRow, lockBudget } from '../../registry/budgets/find-budgets.ts';
import { joinNewBudget, leaveBudget } from '../../registry/budgets/join-budget.ts';
import { setLimits } from '../../registry/budgets/set-limits.ts';
import type { Queries } from '../../registry/queries.ts';
import { type Asker, changedLimits, noLimits, refuseRaise } from './limits.ts';

type Change = {
  caller: Asker & { tenant: string };
  sessionId: string;
  /** That of the session, locked by the same transaction before the session. */
  budget: BudgetRow | null;
  /** Null takes the session out of its budget. */
  change: BudgetLimits | null;
};

/**
 * Changes the budget of a session, or gives it one, within a transaction. Does nothing if there is no such session, or it has ended.
 * @throws Problem 403 if the key may not raise or remove a limit
 */
export async function changeBudget(tx: Queries, { caller, sessionId, budget: locked, change }: Change): Promise<void> {
  if (change === null) {
    if (!locked) return;
    refuseRaise(caller, { ...noLimits, iterations: 0 }, noLimits);
    return await leaveBudget(tx, { sessionId, budgetId: locked.id });
  }
  const key = { sessionId, tenant: caller.tenant };
  const budget = locked ?? ((await joinNewBudget(tx, key)) ? await lockBudget(tx, key) : null);
  if (!budget) return;
  const limits = changedLimits(budget, change);
  refuseRaise(caller, budget, limits);
  await setLimits(tx, { id: budget.id, ...limits });
}
