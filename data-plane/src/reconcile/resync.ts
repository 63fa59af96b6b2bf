import type { Logger } from '../observability/logger.ts';
import { listBoundRoutes } from '../registry/list-bound-routes.ts';
import type { LeaveDependencies } from '../sessions/leave-active.ts';
import { apply } from './apply.ts';
import { compareSandboxes, type Expected } from './compare-sandboxes.ts';
import { plan } from './plan.ts';

export type ResyncDependencies = LeaveDependencies & { log: Logger };

/** Makes registry and runtime agree, from a complete list read between two reads of the registry. */
export async function resync(deps: ResyncDependencies): Promise<void> {
  const before = await expectedSandboxes(deps);
  const listed = await deps.runtime.list();
  const after = await expectedSandboxes(deps);
  const differences = compareSandboxes({ before, listed, after, now: new Date() });
  if (!differences) {
    deps.log.error(
      { expected: before.length, listed: listed.length },
      'resync stopped: the list lacks too many sandboxes',
    );
    return;
  }
  for (const { sessionId } of differences.lost) await lookAt(deps, sessionId);
  for (const sandbox of differences.orphans) await apply(deps, plan({ seen: 'orphan', sandbox }));
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
