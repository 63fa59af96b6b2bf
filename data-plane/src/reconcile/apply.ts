import { rescheduleSession } from '../registry/sessions/reschedule-session.ts';
import { withdrawWarmSandbox } from '../registry/warm-sandboxes/withdraw-warm-sandbox.ts';
import type { SandboxKey } from '../runtimes/runtime.ts';
import { type LeaveDependencies, startLeaving } from '../sessions/leave-active.ts';
import { removeSandbox } from '../sessions/remove-sandbox.ts';
import { singleFlight } from '../timing/single-flight.ts';
import type { Action } from './plan.ts';

/**
 * Does what was planned. Each act repeats the condition it relies on, so that doing it late or twice harms nobody. What changes the
 * registry resolves once it has; its sandbox goes behind that, since one whose node is gone takes long.
 */
export async function apply(deps: LeaveDependencies, action: Action): Promise<void> {
  switch (action.act) {
    case 'end': {
      const { act: _, sessionId: id, ...ending } = action;
      await startLeaving(deps, { id, ...ending });
      return;
    }
    case 'remove-sandbox':
      deps.background(sweep(deps, action));
      return;
    case 'withdraw':
      // One that a session has claimed by now is that session's to give up.
      if (!(await withdrawWarmSandbox(deps.db, { name: action.name }))) return;
      deps.background(destroy(deps, action));
      return;
    case 'destroy':
      await destroy(deps, action);
  }
}

const retrySeconds = 10;

async function sweep(
  deps: LeaveDependencies,
  { sessionId: id, epoch }: Action & { act: 'remove-sandbox' },
): Promise<void> {
  try {
    await removeSandbox(deps, { id, epoch });
  } catch (error) {
    await rescheduleSession(deps.db, { id, seconds: retrySeconds }).catch(() => {});
    throw error;
  }
}

/** Shared with whoever destroys the same one already. */
function destroy({ runtime, removing }: LeaveDependencies, { name, uid }: SandboxKey): Promise<void> {
  return singleFlight(removing, uid, () => runtime.destroy({ name, uid }));
}
