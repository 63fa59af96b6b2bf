import { listBoundRoutes } from '../../registry/routes/list-bound-routes.ts';
import { listUnboundSandboxes } from '../../registry/sandboxes/list-unbound-sandboxes.ts';
import { listCreatingSessions } from '../../registry/sessions/list-creating-sessions.ts';
import { listWarmSandboxes } from '../../registry/warm-sandboxes/list-warm-sandboxes.ts';
import type { Sandbox } from '../../runtimes/runtime.ts';
import { sandboxName } from '../../sessions/sandbox-name.ts';
import { severalAtOnce } from '../../timing/several-at-once.ts';
import { apply } from '../apply.ts';
import { plan } from '../plan.ts';
import { type ReconcileDependencies, reconcileSession, reconcileWarmSandbox } from '../reconcile.ts';
import { compareSandboxes, type Expected } from './compare-sandboxes.ts';

const atOnce = 16;

/**
 * Makes registry and runtime agree: compares a complete list of sandboxes with a read of the registry before it and one after it.
 * Every sandbox that seems lost is observed anew; orphans are destroyed in the background.
 */
export async function resync(deps: ReconcileDependencies): Promise<void> {
  // In this order, so that a sandbox that is bound or ready only after the second read was starting during the first.
  const startingBefore = await startingNames(deps);
  const before = await expectedSandboxes(deps);
  const listed = await deps.runtime.list();
  const starting = new Set([...startingBefore, ...(await startingNames(deps))]);
  const after = await expectedSandboxes(deps);
  const differences = compareSandboxes({ before, listed, after, starting, now: new Date() });
  if (!differences) {
    deps.log.error(
      { expected: before.length, listed: listed.length },
      'resync stopped: the registry and the list of sandboxes differ too much',
    );
    return;
  }
  await severalAtOnce({ items: differences.lost, atOnce }, (lost) => reconcileLost(deps, lost));
  deps.background(severalAtOnce({ items: differences.orphans, atOnce }, (orphan) => destroyOrphan(deps, orphan)));
}

async function reconcileLost(deps: ReconcileDependencies, { session, name, uid }: Expected): Promise<void> {
  const reconciled = session ? reconcileSession(deps, session.id) : reconcileWarmSandbox(deps, { name, uid });
  await reconciled.catch((err) =>
    deps.log.error(
      { sessionId: session?.id, epoch: session?.epoch, sandbox: name, err },
      'a lost sandbox could not be checked',
    ),
  );
}

async function destroyOrphan(deps: ReconcileDependencies, { name, uid }: Sandbox): Promise<void> {
  if (deps.removing.has(uid)) return;
  deps.log.warn({ sandbox: name, uid }, 'an orphaned sandbox is destroyed');
  await apply(deps, plan({ of: 'orphan', sandbox: { name, uid } })).catch((err) =>
    deps.log.error({ sandbox: name, uid, err }, 'an orphaned sandbox could not be destroyed'),
  );
}

async function startingNames({ db }: ReconcileDependencies): Promise<string[]> {
  const creating = await listCreatingSessions(db);
  const warm = (await listWarmSandboxes(db)).filter(({ uid }) => uid === null);
  // During a rolling update an earlier version may have inserted a session without its row among the sandboxes.
  const names = creating.map(({ id, epoch }) => sandboxName(id, epoch));
  return [...names, ...(await listUnboundSandboxes(db)), ...warm.map(({ name }) => name)];
}

/** Warm sandboxes are read first: one that is bound between the two queries is in both results, not in neither. */
async function expectedSandboxes({ db }: ReconcileDependencies): Promise<Expected[]> {
  const warm = (await listWarmSandboxes(db)).flatMap(({ name, uid }) =>
    uid === null ? [] : [{ session: null, name, uid }],
  );
  const bound = (await listBoundRoutes(db)).map(({ sessionId, epoch, sandboxName, sandboxUid }) => ({
    session: { id: sessionId, epoch },
    name: sandboxName,
    uid: sandboxUid,
  }));
  return [...warm, ...bound];
}
