import { findSessionOfSandbox } from '../registry/routes/find-session-of-sandbox.ts';
import { findWarmSandbox } from '../registry/warm-sandboxes/find-warm-sandbox.ts';
import { createHints } from './hints.ts';
import { type ReconcileDependencies, reconcileSession, reconcileWarmSandbox } from './reconcile.ts';

/** Reconciles single sessions and warm sandboxes, as soon as something hints at them. The resync makes lost hints harmless. */
export function createReconciler(deps: ReconcileDependencies) {
  const { db, log } = deps;
  const endedUids = createRecentUids();
  const sessions = createHints({
    check: (sessionId) => reconcileSession(deps, sessionId),
    onError: (err, sessionId) => log.error({ sessionId, err }, 'a session could not be checked'),
  });
  const sandboxes = createHints({
    check: reconcileUserOf,
    onError: (err, uid) => log.error({ uid, err }, 'a sandbox that has ended could not be checked'),
  });

  /** Reconciles the session to which the sandbox is bound, or else the warm sandbox itself. */
  async function reconcileUserOf(uid: string): Promise<void> {
    const sessionId = await findSessionOfSandbox(db, { uid });
    if (sessionId !== null) return sessions.hint(sessionId);
    const name = await findWarmSandbox(db, { uid });
    if (name !== null) await reconcileWarmSandbox(deps, { name, uid });
  }

  return {
    /** Says "check this session". */
    hint: sessions.hint,

    /** Says "check this sandbox": the runtime reports that it seems to have ended. */
    sandboxEnded(uid: string): void {
      endedUids.add(uid);
      sandboxes.hint(uid);
    },

    /** Whether the runtime has reported this sandbox. One that ends just before its bind belongs to no session at that moment. */
    hasEnded: endedUids.has,

    /** Resolves when every hint so far has been followed. */
    async settled(): Promise<void> {
      await sandboxes.settled();
      await sessions.settled();
    },
  };
}

const uidsMax = 10_000;

function createRecentUids() {
  const uids = new Set<string>();
  return {
    add(uid: string): void {
      if (uids.size >= uidsMax) uids.delete(uids.values().next().value as string);
      uids.add(uid);
    },
    has: (uid: string): boolean => uids.has(uid),
  };
}
