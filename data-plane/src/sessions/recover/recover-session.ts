import { Problem, type Session } from '@holdfast/specs/public';
import type { Caller } from '../caller.ts';
import { existingSession, refuseUnlessActive } from '../existing-session.ts';
import { type LoseDependencies, startRecovery } from '../lose-sandbox.ts';
import { sessionView } from '../session-view.ts';

type RecoverInput = { caller: Caller; id: string };

/**
 * Gives a session that is `lost` another sandbox, and resolves when it is active. An active session is answered as it is.
 * @throws Problem 404; 410 if the session has ended; 503 while it is starting, or if the recovery fails
 */
export async function recoverSession(deps: LoseDependencies, { caller, id }: RecoverInput): Promise<Session> {
  const session = await existingSession(deps.db, { id, tenant: caller.tenant });
  if (session.status !== 'lost') {
    refuseUnlessActive(session);
    return sessionView(session);
  }
  const recovering = await startRecovery(deps, { id, epoch: session.epoch, from: 'lost', isAutomatic: false });
  if (!recovering)
    throw new Problem('session-starting', {
      detail: `session ${id} changed its status just now`,
      retryAfterSeconds: 1,
    });
  return sessionView(await deps.resume(recovering));
}
