import { setTimeout as delay } from 'node:timers/promises';
import type { Dependencies } from './dependencies.ts';
import { listBoundRoutes } from './registry/list-bound-routes.ts';
import { leaveActive } from './sessions/leave-active.ts';

type DrainInput = { drainSeconds: number; force: AbortSignal };

/** Lets running steps finish, for as long as configured or until `force`; then ends the sandboxes that must not outlive this process. */
export async function drain(
  deps: Pick<Dependencies, 'liveSteps' | 'leave' | 'drain'>,
  { drainSeconds, force }: DrainInput,
): Promise<void> {
  deps.drain();
  const deadline = Date.now() + drainSeconds * 1000;
  while (deps.liveSteps.size > 0 && Date.now() < deadline && !force.aborted) {
    await delay(50, undefined, { signal: force }).catch(() => {});
  }
  if (!deps.leave.runtime.capabilities.sandboxesEndWithDataPlane) return;
  const routes = await listBoundRoutes(deps.leave.db);
  const message = 'the data-plane was stopped, and its sandboxes end with it';
  await Promise.allSettled(
    routes.map(({ sessionId }) =>
      leaveActive(deps.leave, { id: sessionId, to: 'aborted', reason: 'data_plane_stopped', message }),
    ),
  );
}
