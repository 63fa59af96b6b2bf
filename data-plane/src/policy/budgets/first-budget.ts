import { type BudgetLimits, newId, Problem } from '@holdfast/specs/public';
import type { Limits } from '../../registry/budgets/find-budgets.ts';
import type { SessionRow } from '../../registry/schema/sessions.ts';
import type { NewSession } from '../../registry/sessions/insert-session.ts';
import { type Asker, changedLimits, noLimits, refuseRaise } from './limits.ts';

type Defaults = { budget: BudgetLimits };
type Wanted = { caller: Asker; budget?: BudgetLimits | undefined };

/**
 * The budget with which a new session begins: the limits of the request, and the default of the operator for all others.
 * @throws Problem 403 if the key may not exceed the default
 */
export function ownBudget(defaults: Defaults, { caller, budget = {} }: Wanted): NewSession['budget'] {
  const ofOperator = changedLimits(noLimits, defaults.budget);
  const limits = changedLimits(ofOperator, budget);
  refuseRaise(caller, ofOperator, limits);
  return isUnlimited(limits) ? undefined : { id: newId('bud'), limits };
}

/**
 * The budget of another session, which the new one shares.
 * @throws Problem 400 if that session has none
 */
export function sharedBudget({ id, budgetOf }: Pick<SessionRow, 'id' | 'budgetOf'>): NewSession['budget'] {
  if (budgetOf !== null) return { id: budgetOf, limits: null };
  const detail = `session ${id} has no budget`;
  throw new Problem('invalid-request', { detail, errors: [{ pointer: '/budgetOf', detail }] });
}

/**
 * The budget of a fork. It shares that of its session, so that forking gives nothing more to spend.
 * @throws Problem 403 if the key may not give it a budget of its own
 */
export function budgetOfFork(
  defaults: Defaults,
  { caller, budget, session }: Wanted & { session: Pick<SessionRow, 'id' | 'budgetOf'> },
): NewSession['budget'] {
  if (!budget) return session.budgetOf === null ? undefined : sharedBudget(session);
  if (session.budgetOf !== null && !caller.scopes.has('host')) {
    throw new Problem('forbidden', { detail: 'only a key with the scope host may give a fork a budget of its own' });
  }
  return ownBudget(defaults, { caller, budget });
}

const isUnlimited = (limits: Limits) => Object.values(limits).every((limit) => limit === null);
