import { rescheduleSession } from '../registry/sessions/reschedule-session.ts';
import { withdrawWarmSandbox } from '../registry/warm-sandboxes/withdraw-warm-sandbox.ts';
import type { SandboxKey } from '../runtimes/runtime.ts';
import { type EndDependencies, endWithoutWaiting } from '../sessions/end-and-fence.ts';
import { type LoseDependencies, loseSandbox, recoverAgain } from '../sessions/lose-sandbox.ts';
import { endLeftPause } from '../sessions/pause/end-left-pause.ts';
import { type PauseDependencies, pauseIdleSession } from '../sessions/pause/pause-session.ts';
import { removeSandbox } from '../sessions/remove-sandbox.ts';
import { singleFlight } from '../timing/single-flight.ts';
import type { Action } from './plan.ts';

export type ApplyDependencies = EndDependencies & LoseDependencies & PauseDependencies;

/**
 * Carries out an action. Each statement repeats the condition that it relies on, so an action that comes late or twice changes nothing.
 * Resolves when the registry is changed; sandboxes are removed in the background, because one whose node is gone takes long.
 */
export async function apply(deps: ApplyDependencies, action: Action): Promise<void> {
  switch (action.act) {
    case 'nothing':
      return;
    case 'end': {
      const { sessionId: id, epoch, ifPassed, to, reason, message } = action;
      await endWithoutWaiting(deps, { id, epoch, ifPassed, to, reason, message });
      return;
    }
    case 'lose': {
      const { sessionId: id, epoch, cause, ifUnheardSeconds } = action;
      await loseSandbox(deps, { id, epoch, because: cause, ifUnheardSeconds });
      return;
    }
    case 'recover':
      await recoverAgain(deps, { id: action.sessionId, epoch: action.epoch });
      return;
    case 'pause':
      deps.background(pauseIdleSession(deps, { id: action.sessionId, epoch: action.epoch }));
      return;
    case 'stay':
      await endLeftPause(deps, { id: action.sessionId, epoch: action.epoch });
      return;
    case 'remove-sandbox':
      deps.background(removeOrReschedule(deps, action));
      return;
    case 'withdraw':
      // If a session has claimed the sandbox by now, that session releases it. The name of a warm sandbox is never used twice.
      if (!(await withdrawWarmSandbox(deps.db, { name: action.name }))) return;
      deps.background(destroy(deps, action));
      return;
    case 'destroy':
      await destroy(deps, action);
  }
}

const retrySeconds = 10;

async function removeOrReschedule(
  deps: EndDependencies,
  { sessionId: id, epoch }: { sessionId: string; epoch: number },
): Promise<void> {
  try {
    await removeSandbox(deps, { id, epoch });
  } catch (error) {
    await rescheduleSession(deps.db, { id, epoch, seconds: retrySeconds }).catch(() => {});
    throw error;
  }
}

/** Joins a destruction of the same sandbox that is under way. */
function destroy({ runtime, removing }: EndDependencies, { name, uid }: SandboxKey): Promise<void> {
  return singleFlight(removing, uid, () => runtime.destroy({ name, uid }));
}
