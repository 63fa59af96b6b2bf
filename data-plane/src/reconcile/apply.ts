import { withdrawWarmSandbox } from '../registry/withdraw-warm-sandbox.ts';
import type { Runtime } from '../runtimes/runtime.ts';
import { type LeaveDependencies, leaveActive } from '../sessions/leave-active.ts';
import { removeSandbox } from '../sessions/remove-sandbox.ts';
import type { Action } from './plan.ts';

/** Does what was planned. Each act repeats the condition it relies on, so that doing it late or twice harms nobody. */
export async function apply(deps: LeaveDependencies & { runtime: Runtime }, action: Action): Promise<void> {
  switch (action.act) {
    case 'end': {
      const { act: _, sessionId: id, ...ending } = action;
      await leaveActive(deps, { id, ...ending });
      return;
    }
    case 'remove-sandbox':
      await removeSandbox(deps, { id: action.sessionId, epoch: action.epoch });
      return;
    case 'withdraw':
      // One that a session has claimed by now is that session's to give up.
      if (!(await withdrawWarmSandbox(deps.db, { name: action.name }))) return;
      await deps.runtime.destroy({ name: action.name, uid: action.uid });
      return;
    case 'destroy':
      await deps.runtime.destroy({ name: action.name, uid: action.uid });
  }
}
