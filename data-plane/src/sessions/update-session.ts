import { isDeepStrictEqual } from 'node:util';
import { Problem, type Session, type UpdateSession } from '@holdfast/specs/public';
import { askedBy } from '../policy/audit/asked-by.ts';
import { changeBudget } from '../policy/budgets/change-budget.ts';
import { isTighter } from '../policy/rules/is-tighter.ts';
import { looser } from '../policy/rules/policy-denied.ts';
import { resolvePolicy } from '../policy/rules/resolve-policy.ts';
import { lockBudget } from '../registry/budgets/find-budgets.ts';
import type { Database } from '../registry/connect.ts';
import type { SessionRow } from '../registry/schema/sessions.ts';
import { findSession } from '../registry/sessions/find-session.ts';
import { patchSession } from '../registry/sessions/patch-session.ts';
import type { Caller } from './caller.ts';
import { existingSession, refuseUnlessActive } from './existing-session.ts';
import type { Routes } from './sandbox-routes.ts';
import { sessionView } from './session-view.ts';

type UpdateDependencies = { db: Database; routes: Pick<Routes, 'drop'> };
type UpdateInput = { caller: Caller; id: string; patch: UpdateSession };

/**
 * Changes metadata, timeouts, the policy and the budget of a session that has not ended.
 * @throws Problem 403 if more would be allowed and the caller is not the host, 404, 410
 */
export async function updateSession({ db, routes }: UpdateDependencies, input: UpdateInput): Promise<Session> {
  const { caller, id, patch } = input;
  const { policy: wish, budget: change, ...fields } = patch;
  const { tenant } = caller;
  for (;;) {
    const session = wish && (await existingSession(db, { id, tenant }));
    const policy = session && policyChange({ caller, session, wish });
    const patched = { id, tenant, patch: fields, policy, change: askedBy(caller, 'session.update', patch) };
    const row = await (change === undefined
      ? patchSession(db, patched)
      : db.transaction(async (tx) => {
          const budget = await lockBudget(tx, { sessionId: id, tenant });
          if (!(await patchSession(tx, patched))) return null;
          await changeBudget(tx, { caller, sessionId: id, budget, change });
          return await findSession(tx, { id });
        }));
    if (row) {
      routes.drop(id);
      return await sessionView(db, row);
    }
    const now = await existingSession(db, { id, tenant });
    if (policy && now.policyRevision !== policy.ifRevision) continue;
    refuseUnlessActive(now);
    throw new Problem('session-not-active', { detail: `session ${id} changed its status just now` });
  }
}

type Wish = { caller: Caller; session: SessionRow; wish: NonNullable<UpdateSession['policy']> };

/** Undefined if the session has this policy already. */
function policyChange({ caller, session, wish }: Wish) {
  const policy = resolvePolicy(wish, session.policy);
  if (!caller.scopes.has('host') && !isTighter(session.policy, policy)) throw looser('the present one');
  return isDeepStrictEqual(policy, session.policy) ? undefined : { rules: policy, ifRevision: session.policyRevision };
}
