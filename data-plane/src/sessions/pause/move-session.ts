import type { PausedSession } from '@holdfast/specs/public';
import { askedBy } from '../../policy/audit/asked-by.ts';
import { findSession } from '../../registry/sessions/find-session.ts';
import type { Pausing } from '../../registry/sessions/pause-session.ts';
import type { Caller } from '../caller.ts';
import { noSession, refuseUnlessActive } from '../existing-session.ts';
import { type LoseDependencies, startRecovery } from '../lose-sandbox.ts';
import { sessionView } from '../session-view.ts';
import { type PauseDependencies, saveAndLeave } from './pause-session.ts';

/** `caller`: the operator who asks for it; without one it is the doing of the system. */
type MoveInput = { id: string; force: boolean; caller?: Caller };

/**
 * Saves an active session of any tenant and gives it another sandbox, which has the image and the settings of now.
 * @throws Problem as `pauseSession` does, and 503 if the new sandbox does not start: then the recovery goes on in the background
 */
export async function moveSession(
  deps: PauseDependencies & LoseDependencies,
  { id, force, caller }: MoveInput,
): Promise<PausedSession> {
  const session = await findSession(deps.db, { id });
  if (!session || session.deleteRequestedAt) throw noSession(id);
  refuseUnlessActive(session);
  const change = caller && askedBy(caller, 'session.move', { force });
  const finish = ({ deadlineAt, ...left }: Pausing) =>
    startRecovery(deps, { ...left, from: 'pausing', isAutomatic: false, ifPausing: deadlineAt });
  const { left, notSaved } = await saveAndLeave(deps, { session, force, ifIdle: false, change, finish });
  return { ...(await sessionView(deps.db, await deps.resume(left))), notSaved };
}
