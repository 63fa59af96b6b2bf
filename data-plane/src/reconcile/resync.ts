import type { Logger } from '../observability/logger.ts';
import { listBoundRoutes } from '../registry/list-bound-routes.ts';
import { listCreating } from '../registry/list-creating.ts';
import type { LeaveDependencies } from '../sessions/leave-active.ts';
import { sandboxName } from '../sessions/sandbox-name.ts';
import { apply } from './apply.ts';
import { compareSandboxes, type Expected } from './compare-sandboxes.ts';
import { plan } from './plan.ts';

export type ResyncDependencies = LeaveDependencies & { log: Logger };

/** Makes registry and runtime agree, from a complete list read between two reads of the registry. */
export async function resync(deps: ResyncDependencies): Promise<void> {
  // What is bound after this read was starting in it.
  const startingBefore = await startingNames(deps);
  const before = await expectedSandboxes(deps);
  const listed = await deps.runtime.list();
  const starting = new Set([...startingBefore, ...(await startingNames(deps))]);
  const after = await expectedSandboxes(deps);
  const differences = compareSandboxes({ before, listed, after, starting, now: new Date() });
  if (!differences) {
    deps.log.error(
      { expected: before.length, listed: listed.length },
      'resync stopped: the list lacks too many sandboxes',
    );
    return;
  }
  for (const { sessionId } of differences.lost) {
    await lookAt(deps, sessionId).catch((err) =>
      deps.log.error({ sessionId, err }, 'a session could not be looked at'),
    );
  }
  for (const sandbox of differences.orphans) {
    const { name, uid } = sandbox;
    deps.log.warn({ sandbox: name, uid }, 'a sandbox without a session is removed');
    await apply(deps, plan({ seen: 'orphan', sandbox })).catch((err) =>
      deps.log.error({ sandbox: name, uid, err }, 'a sandbox without a session could not be removed'),
    );
  }
}

async function startingNames({ db }: ResyncDependencies): Promise<string[]> {
  return (await listCreating(db)).map(({ id, epoch }) => sandboxName(id, epoch));
}

async function expectedSandboxes({ db }: ResyncDependencies): Promise<Expected[]> {
  const routes = await listBoundRoutes(db);
  return routes.map(({ sessionId, sandboxName, sandboxUid }) => ({ sessionId, name: sandboxName, uid: sandboxUid }));
}

/** Looks at one session anew: where the sandbox of its route is not there any more, the session has lost it. */
export async function lookAt(deps: ResyncDependencies, sessionId: string): Promise<void> {
  const route = await deps.routes.find(sessionId);
  if (route?.status !== 'active') return;
  const sandbox = await deps.runtime.inspect(route.sandboxName);
  if (sandbox?.uid === route.sandboxUid && sandbox.phase !== 'ended') return;
  const message = sandbox?.message ?? `sandbox ${route.sandboxName} is gone`;
  deps.log.warn({ sessionId, sandbox: route.sandboxName, message }, 'sandbox lost');
  await apply(deps, plan({ seen: 'sandbox-lost', sessionId, message }));
}
