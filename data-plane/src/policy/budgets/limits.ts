import { type BudgetLimits, decimalOf, Problem, type Scope } from '@holdfast/specs/public';
import type { Limits } from '../../registry/budgets/find-budgets.ts';

/** The client that asks for a budget. */
export type Asker = { scopes: ReadonlySet<Scope> };

export const noLimits: Limits = { iterations: null, timeMs: null, tokens: null, cost: null };

/** Limits with some of them changed. Pure. */
export function changedLimits(limits: Limits, { iterations, timeSeconds, tokens, cost }: BudgetLimits): Limits {
  return {
    iterations: iterations === undefined ? limits.iterations : iterations,
    timeMs: timeSeconds === undefined ? limits.timeMs : timeSeconds && timeSeconds * 1000,
    tokens: tokens === undefined ? limits.tokens : tokens,
    cost: cost === undefined ? limits.cost : cost === null ? null : decimalOf(cost),
  };
}

/** @throws Problem 403 if something may be spent under `to` that may not under `from`, and the key has no right to allow it */
export function refuseRaise(asker: Asker, from: Limits, to: Limits): void {
  if (asker.scopes.has('host') || !isRaised(from, to)) return;
  throw new Problem('forbidden', {
    detail: 'only a key with the scope host may raise or remove a limit of the budget',
  });
}

/** Pure. */
export function isRaised(from: Limits, to: Limits): boolean {
  return (
    isMore(from.iterations, to.iterations) ||
    isMore(from.timeMs, to.timeMs) ||
    isMore(from.tokens, to.tokens) ||
    isMore(from.cost === null ? null : scaled(from.cost), to.cost === null ? null : scaled(to.cost))
  );
}

const isMore = <Amount extends number | bigint>(from: Amount | null, to: Amount | null): boolean =>
  from !== null && (to === null || to > from);

/** A decimal as a whole number of its twelfth places. */
function scaled(decimal: string): bigint {
  const [whole = '', places = ''] = decimal.split('.');
  return BigInt(whole + places.padEnd(12, '0'));
}
