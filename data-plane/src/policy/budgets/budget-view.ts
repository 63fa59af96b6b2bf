import type { Budget } from '@holdfast/specs/public';
import type { BudgetRow } from '../../registry/budgets/find-budgets.ts';

/** The budget in the form that clients see. Pure. */
export function budgetView(row: BudgetRow): Budget {
  const { iterations, timeMs, tokens, cost } = row;
  return {
    budgetOf: row.sessionId,
    limits: { iterations, timeSeconds: timeMs === null ? null : timeMs / 1000, tokens, cost },
    used: {
      iterations: row.iterationsUsed + row.iterationsReserved,
      timeSeconds: Math.round(row.timeUsedMs * 1000) / 1e6,
      tokens: row.tokensUsed,
      cost: row.costUsed,
    },
    remaining: row.remaining,
  };
}
