import { Problem } from '@holdfast/specs/public';
import { type BudgetRow, findBudgets } from '../../registry/budgets/find-budgets.ts';
import type { Database } from '../../registry/connect.ts';
import type { SessionRow } from '../../registry/schema/sessions.ts';

type Wanted = { session: Pick<SessionRow, 'id' | 'budgetOf'>; iterations: 0 | 1 };

/** Why the budget of a session does not allow a step now; null if it does, or there is none. */
export async function findExcess(db: Database, { session, iterations }: Wanted): Promise<Problem | null> {
  const [budget] = session.budgetOf === null ? [] : await findBudgets(db, [session.budgetOf]);
  return budget ? excessOf(budget, iterations) : null;
}

/** Pure. */
export function excessOf(budget: BudgetRow, iterations: 0 | 1): Problem | null {
  const of = `the budget of session ${budget.sessionId}`;
  if (budget.isUsedUp) {
    return new Problem('budget-exceeded', { detail: `${of} is used up: ${usedUp(budget).join(', ')}` });
  }
  const { remaining, timeMs, timeUsedMs, timeReservedMs } = budget;
  const isTaken = remaining.iterations !== null && remaining.iterations < iterations;
  if (isTaken || (timeMs !== null && timeMs - timeUsedMs - timeReservedMs < 1)) {
    const what = isTaken ? 'iterations' : 'time';
    const detail = `running steps have reserved all ${what} that ${of} has left; wait until one has ended, or give steps that run at once a shorter timeoutSeconds`;
    return new Problem('budget-exceeded', { detail, retryAfterSeconds: 1 });
  }
  return null;
}

function usedUp(budget: BudgetRow): string[] {
  const { remaining, iterations, timeMs, tokens, cost } = budget;
  const parts = [
    iterations !== null && iterations <= budget.iterationsUsed && `${iterations} iterations`,
    timeMs !== null && timeMs - budget.timeUsedMs < 1 && `${timeMs / 1000} s of execution`,
    remaining.tokens === 0 && `${tokens} tokens`,
    remaining.cost === '0' && `a cost of ${cost}`,
  ];
  return parts.filter((part) => part !== false);
}
