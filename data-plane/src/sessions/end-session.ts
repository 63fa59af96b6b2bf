import { Problem, type Session } from '@holdfast/specs/public';
import { askedBy } from '../policy/audit/asked-by.ts';
import type { Caller } from './caller.ts';
import { type EndDependencies, endAndFence } from './end-and-fence.ts';
import { existingSession, refuseUnlessActive } from './existing-session.ts';
import { fenceInTime } from './fence.ts';
import { sessionView } from './session-view.ts';

const reasons = { completed: 'completed_by_host', aborted: 'aborted_by_host' } as const;

type EndInput = { caller: Caller; id: string; to: keyof typeof reasons };

/**
 * Completes or aborts a session in whichever epoch it is. A repeat succeeds, too.
 * @throws Problem 404; 410 if the session ended in another way; 503 if it has ended and its sandbox is not known to have stopped
 */
export async function endSession(deps: EndDependencies, { caller, id, to }: EndInput): Promise<Session> {
  const change = askedBy(caller, to === 'completed' ? 'session.complete' : 'session.abort');
  const ended = await endAndFence(deps, { id, tenant: caller.tenant, epoch: 'any', to, reason: reasons[to], change });
  if (ended) return await sessionView(deps.db, ended);
  const session = await existingSession(deps.db, { id, tenant: caller.tenant });
  if (session.status === to) {
    // The request that ended it may still wait for the agent's answer.
    await fenceInTime(deps, session);
    return await sessionView(deps.db, session);
  }
  refuseUnlessActive(session);
  throw new Problem('session-not-active', { detail: `session ${id} changed its status just now` });
}
