import type { BudgetRemaining } from '@holdfast/specs/public';
import type { Queries } from '../queries.ts';

type Usage = {
  sessionId: string;
  tokens: number;
  /** A decimal. */
  cost: string;
};

/**
 * Charges the budget of a session for what its host has spent. The budget may be exceeded by it, since the host has spent it already, and its sessions
 * become `budget_exceeded` in the same statement. A transaction calls this before it locks a session.
 * @returns what is left; null without a budget
 */
export async function chargeUsage({ sql }: Queries, usage: Usage): Promise<BudgetRemaining | null> {
  const { sessionId, tokens, cost } = usage;
  const [charged] = await sql<{ remaining: BudgetRemaining }[]>`
    update budgets b set
      tokens_used = least(tokens_used + ${tokens}::bigint, ${Number.MAX_SAFE_INTEGER}::bigint),
      cost_used = cost_used + ${cost}::text::numeric
    where id = (select budget_of from sessions where id = ${sessionId})
    returning budget_remaining(b) as remaining`;
  return charged?.remaining ?? null;
}
