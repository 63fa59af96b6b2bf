import { isDeepStrictEqual } from 'node:util';
import { Problem, type Session, type UpdateSession } from '@holdfast/specs/public';
import { askedBy } from '../policy/audit/asked-by.ts';
import { isTighter } from '../policy/rules/is-tighter.ts';
import { looser } from '../policy/rules/policy-denied.ts';
import { resolvePolicy } from '../policy/rules/resolve-policy.ts';
import type { Database } from '../registry/connect.ts';
import type { SessionRow } from '../registry/schema/sessions.ts';
import { patchSession } from '../registry/sessions/patch-session.ts';
import type { Caller } from './caller.ts';
import { existingSession, refuseUnlessActive } from './existing-session.ts';
import { sessionView } from './session-view.ts';

type UpdateInput = { caller: Caller; id: string; patch: UpdateSession };

/**
 * Changes metadata, timeouts and the policy of a session that has not ended.
 * @throws Problem 403 if the policy would allow more and the caller is not the host, 404, 410
 */
export async function updateSession({ db }: { db: Database }, { caller, id, patch }: UpdateInput): Promise<Session> {
  const { policy: wish, ...fields } = patch;
  const { tenant } = caller;
  for (;;) {
    const session = wish && (await existingSession(db, { id, tenant }));
    const policy = session && policyChange({ caller, session, wish });
    const row = await patchSession(db, {
      id,
      tenant,
      patch: fields,
      policy,
      change: askedBy(caller, 'session.update', patch),
    });
    if (row) return sessionView(row);
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
