import type { PausedSession } from '@holdfast/specs/public';
import { findSession } from '../../registry/sessions/find-session.ts';
import type { Pausing } from '../../registry/sessions/pause-session.ts';
import { noSession, refuseUnlessActive } from '../existing-session.ts';
import { type LoseDependencies, startRecovery } from '../lose-sandbox.ts';
import { sessionView } from '../session-view.ts';
import { type PauseDependencies, saveAndLeave } from './pause-session.ts';

type MoveInput = { id: string; force: boolean };

/**
 * Saves an active session of any tenant and gives it another sandbox, which has the image and the settings of now.
 * @throws Problem as `pauseSession` does, and 503 if the new sandbox does not start: then the recovery goes on in the background
 */
export async function moveSession(
  deps: PauseDependencies & LoseDependencies,
  { id, force }: MoveInput,
): Promise<PausedSession> {
  const session = await findSession(deps.db, { id });
  if (!session || session.deleteRequestedAt) throw noSession(id);
  refuseUnlessActive(session);
  const finish = ({ deadlineAt, ...left }: Pausing) =>
    startRecovery(deps, { ...left, from: 'pausing', isAutomatic: false, ifPausing: deadlineAt });
  const { left, notSaved } = await saveAndLeave(deps, { session, force, ifIdle: false, finish });
  return { ...(await sessionView(deps.db, await deps.resume(left))), notSaved };
}
