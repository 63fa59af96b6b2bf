import type { Logger } from '../../observability/logger.ts';
import { findRoute } from '../../registry/routes/find-route.ts';
import { listBoundRoutes } from '../../registry/routes/list-bound-routes.ts';
import { listCreating } from '../../registry/sessions/list-creating.ts';
import { listWarmSandboxes } from '../../registry/warm-sandboxes/list-warm-sandboxes.ts';
import type { Sandbox } from '../../runtimes/runtime.ts';
import type { LeaveDependencies } from '../../sessions/leave-active.ts';
import { sandboxName } from '../../sessions/sandbox-name.ts';
import { severalAtOnce } from '../../timing/several-at-once.ts';
import { apply } from '../apply.ts';
import { lookAtWarmSandbox } from '../look-at-ended-sandbox.ts';
import { plan } from '../plan.ts';
import { compareSandboxes, type Expected } from './compare-sandboxes.ts';

export type ResyncDependencies = LeaveDependencies & { log: Logger };

const atOnce = 16;

/** Makes registry and runtime agree, from a complete list read between two reads of the registry. Orphans are removed behind. */
export async function resync(deps: ResyncDependencies): Promise<void> {
  // What is bound or ready after this read was starting in it.
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
  await severalAtOnce({ items: differences.lost, atOnce }, (lost) => lookAtLost(deps, lost));
  deps.background(severalAtOnce({ items: differences.orphans, atOnce }, (orphan) => removeOrphan(deps, orphan)));
}

async function lookAtLost(deps: ResyncDependencies, { sessionId, name, uid }: Expected): Promise<void> {
  const look = sessionId === null ? lookAtWarmSandbox(deps, { name, uid }) : lookAt(deps, sessionId);
  await look.catch((err) => deps.log.error({ sessionId, sandbox: name, err }, 'a lost sandbox could not be looked at'));
}

async function removeOrphan(deps: ResyncDependencies, sandbox: Sandbox): Promise<void> {
  const { name, uid } = sandbox;
  if (deps.removing.has(uid)) return;
  deps.log.warn({ sandbox: name, uid }, 'a sandbox without a session is removed');
  await apply(deps, plan({ seen: 'orphan', sandbox })).catch((err) =>
    deps.log.error({ sandbox: name, uid, err }, 'a sandbox without a session could not be removed'),
  );
}

async function startingNames({ db }: ResyncDependencies): Promise<string[]> {
  const creating = await listCreating(db);
  const warm = (await listWarmSandboxes(db)).filter(({ uid }) => uid === null);
  return [...creating.map(({ id, epoch }) => sandboxName(id, epoch)), ...warm.map(({ name }) => name)];
}

/** A warm sandbox that is bound between the two queries is in both, and not in neither. */
async function expectedSandboxes({ db }: ResyncDependencies): Promise<Expected[]> {
  const warm = (await listWarmSandboxes(db)).flatMap(({ name, uid }) =>
    uid === null ? [] : [{ sessionId: null, name, uid }],
  );
  const bound = (await listBoundRoutes(db)).map(({ sessionId, sandboxName, sandboxUid }) => ({
    sessionId,
    name: sandboxName,
    uid: sandboxUid,
  }));
  return [...warm, ...bound];
}

/** Looks at one session anew: where the sandbox of its route is not there any more, the session has lost it. */
export async function lookAt(deps: ResyncDependencies, sessionId: string): Promise<void> {
  const route = await findRoute(deps.db, { sessionId });
  if (route?.status !== 'active') return;
  const key = { name: route.sandboxName, uid: route.sandboxUid };
  const found = await deps.runtime.inspect(key.name);
  const sandbox = found?.uid === key.uid ? found : null;
  if (sandbox && sandbox.phase !== 'ended') return;
  const cause = sandbox?.cause ?? (await deps.runtime.explain(key));
  deps.log.warn({ sessionId, sandbox: key.name, cause }, 'sandbox lost');
  await apply(deps, plan({ seen: 'sandbox-lost', sessionId, cause }));
}
