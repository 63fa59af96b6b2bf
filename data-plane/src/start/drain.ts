import { setTimeout as delay } from 'node:timers/promises';
import { listBoundRoutes } from '../registry/routes/list-bound-routes.ts';
import { listCreatingSessions } from '../registry/sessions/list-creating-sessions.ts';
import { endAndFence } from '../sessions/end-and-fence.ts';
import type { Core } from './compose-core.ts';
import { stopInTime } from './stop-in-time.ts';

type DrainInput = { drainSeconds: number; force: AbortSignal };

/**
 * Lets running steps and starting sessions finish, until the configured time is over or `force` is given. Then it ends the sandboxes
 * that must not outlive this process, with their sessions if the registry answers and without them otherwise. Steps in other
 * sandboxes keep running, and another replica records them.
 * @returns whether every ended session could be recorded
 */
export async function drain(core: Core, { drainSeconds, force }: DrainInput): Promise<boolean> {
  core.drain();
  const { runtime, starting, liveSteps, log } = core;
  const stopStarts = () => {
    for (const start of starting.values()) start.stop();
  };
  if (runtime.capabilities.sandboxesEndWithDataPlane) stopStarts();
  const deadline = Date.now() + drainSeconds * 1000;
  while (liveSteps.size + starting.size > 0 && Date.now() < deadline && !force.aborted) {
    await delay(50, undefined, { signal: force }).catch(() => {});
  }
  stopStarts();
  if (!runtime.capabilities.sandboxesEndWithDataPlane) return true;
  const inOrder = await stopInTime(() => endSessions(core), { force }).catch((err) => {
    log.error({ err }, 'the sessions could not be ended; only their sandboxes are');
    return null;
  });
  // No client can use a remaining sandbox any more.
  const left = await runtime.list().catch((err) => {
    log.error({ err }, 'the sandboxes could not be listed');
    return [];
  });
  for (const ended of await Promise.allSettled(left.map((sandbox) => runtime.destroy(sandbox)))) {
    if (ended.status === 'rejected') log.error({ err: ended.reason }, 'a sandbox could not be destroyed');
  }
  return inOrder !== null;
}

async function endSessions(core: Core): Promise<void> {
  await Promise.all([...core.starting.values()].map(({ ended }) => ended));
  const bound = (await listBoundRoutes(core.db)).map(({ sessionId, epoch }) => ({ id: sessionId, epoch }));
  const creating = await listCreatingSessions(core.db);
  const message = 'the data-plane was stopped, and its sandboxes end with it';
  const left = await Promise.allSettled(
    [...bound, ...creating].map(({ id, epoch }) =>
      endAndFence(core, { id, epoch, to: 'aborted', reason: 'data_plane_stopped', message }),
    ),
  );
  await core.backgroundSettled();
  const failed = left.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
}
