import { setTimeout as delay } from 'node:timers/promises';
import type { Session } from '@holdfast/specs/public';
import { askedBy } from '../../policy/audit/asked-by.ts';
import type { SessionRow } from '../../registry/schema/sessions.ts';
import type { Caller } from '../caller.ts';
import { existingSession, refuseUnlessActive } from '../existing-session.ts';
import { type LoseDependencies, startRecovery } from '../lose-sandbox.ts';
import { sessionView } from '../session-view.ts';

type ResumeInput = { caller: Caller; id: string };

const pollMs = 50;

/**
 * Gives a paused session another sandbox, and resolves when it is active. An active session is answered as it is, and one that is being
 * paused, resumed or recovered is waited for.
 * @throws Problem 404; 409 if it is `lost`; 410 if the session has ended; 503 if it cannot be resumed, and it then stays paused
 */
export async function resumePausedSession(deps: LoseDependencies, { caller, id }: ResumeInput): Promise<Session> {
  const change = askedBy(caller, 'session.resume');
  for (const startMs = performance.now(); ; await delay(pollMs)) {
    const session = await existingSession(deps.db, { id, tenant: caller.tenant });
    if (session.status === 'paused') {
      const resuming = await startRecovery(deps, {
        id,
        epoch: session.epoch,
        from: 'paused',
        isAutomatic: false,
        change,
      });
      if (resuming) return await sessionView(deps.db, await deps.resume(resuming));
    } else if (!isOnTheWay(session) || performance.now() - startMs > deps.startSeconds * 1000) {
      refuseUnlessActive(session);
      return await sessionView(deps.db, session);
    }
  }
}

const isOnTheWay = ({ status }: SessionRow) => status === 'pausing' || status === 'resuming' || status === 'recovering';
