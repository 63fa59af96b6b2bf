import { Problem, type Session } from '@holdfast/specs/public';
import type { Caller } from './caller.ts';
import { existingSession, refuseUnlessActive } from './existing-session.ts';
import { fenceInTime } from './fence.ts';
import { type LeaveDependencies, leaveActive } from './leave-active.ts';
import { sessionView } from './session-view.ts';

const reasons = { completed: 'completed_by_host', aborted: 'aborted_by_host' } as const;

type EndInput = { caller: Caller; id: string; to: keyof typeof reasons };

/**
 * Completes or aborts a session; the same again is no error.
 * @throws Problem 404; 410 where it ended in another way; 503 where it has ended and its sandbox is not known to have stopped
 */
export async function endSession(deps: LeaveDependencies, { caller, id, to }: EndInput): Promise<Session> {
  const ended = await leaveActive(deps, { id, tenant: caller.tenant, to, reason: reasons[to] });
  if (ended) return sessionView(ended);
  const session = await existingSession(deps.db, { id, tenant: caller.tenant });
  if (session.status === to) {
    // Who ended it first may still be waiting for the agent.
    await fenceInTime(deps, session);
    return sessionView(session);
  }
  refuseUnlessActive(session);
  throw new Problem('session-not-active', { detail: `session ${id} changed its status just now` });
}
