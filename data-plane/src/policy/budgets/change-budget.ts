import { isDeepStrictEqual } from 'node:util';
import type { BudgetLimits } from '@holdfast/specs/public';
import type { Change } from '../../registry/audit/changed-by.ts';
import { type BudgetRow, lockBudget } from '../../registry/budgets/find-budgets.ts';
import { joinNewBudget, leaveBudget } from '../../registry/budgets/join-budget.ts';
import { setLimits } from '../../registry/budgets/set-limits.ts';
import type { Queries } from '../../registry/queries.ts';
import { type Asker, changedLimits, noLimits, refuseRaise } from './limits.ts';

type BudgetChange = {
  caller: Asker & { tenant: string };
  sessionId: string;
  /** That of the session, locked by the same transaction before the session. */
  budget: BudgetRow | null;
  /** Null takes the session out of its budget. */
  wish: BudgetLimits | null;
  /** For the audit log, which has one entry for the budget and for the status that follows from it. */
  change: Change;
};

/**
 * Changes the budget of a session that has not ended, or gives it one, within a transaction that has locked the session. Its entry of the audit log
 * is written with it.
 *
 * @returns whether the agent has to know: the session has got a budget or left it, or may have done so by a request that this one repeats. Limits
 * are in the registry alone
 * @throws Problem 403 if the key may not raise or remove a limit
 */
export async function changeBudget(
  tx: Queries,
  { caller, sessionId, budget: locked, wish, change }: BudgetChange,
): Promise<boolean> {
  if (wish === null) {
    if (!locked) return true;
    refuseRaise(caller, { ...noLimits, iterations: 0 }, noLimits);
    await leaveBudget(tx, { sessionId, budgetId: locked.id, change });
    return true;
  }
  const key = { sessionId, tenant: caller.tenant };
  const budget = locked ?? ((await joinNewBudget(tx, key)) ? await lockBudget(tx, key) : null);
  if (!budget) return true;
  const limits = changedLimits(budget, wish);
  refuseRaise(caller, budget, limits);
  await setLimits(tx, { id: budget.id, sessionId, change, ...limits });
  return locked === null || isDeepStrictEqual(limits, changedLimits(budget, {}));
}
