import type { AgentClient } from '../../agent/agent-client.ts';
import type { Database } from '../../registry/connect.ts';
import { listReadySandboxes } from '../../registry/warm-sandboxes/list-ready-sandboxes.ts';

/** Less than half the time after which an idle connection is closed. */
const againMs = 25_000;
/** A replica holds a socket for each; a claim from a larger pool opens its connection itself. */
const sandboxesMax = 256;

type Dependencies = {
  db: Database;
  agents: Pick<AgentClient, 'prepare'>;
  /** Milliseconds, of any clock that only goes forward. */
  nowMs?: () => number;
};

/**
 * Keeps a connection open from this replica to each sandbox that a session may claim. Connecting, with the proof of the peer, would
 * otherwise be the longest part of a claim. Which replica a claim comes to is not known before.
 */
export function createWarmConnections({ db, agents, nowMs = () => performance.now() }: Dependencies) {
  const preparedAt = new Map<string, number>();

  return {
    /** Connects to the sandboxes that are new, and uses the connections to the others before they time out. Waits for none. */
    async keep(): Promise<void> {
      const ready = await listReadySandboxes(db, { max: sandboxesMax });
      const uids = new Set(ready.map(({ uid }) => uid));
      for (const uid of preparedAt.keys()) if (!uids.has(uid)) preparedAt.delete(uid);
      for (const sandbox of ready) {
        const { uid } = sandbox;
        if (nowMs() - (preparedAt.get(uid) ?? Number.NEGATIVE_INFINITY) < againMs) continue;
        preparedAt.set(uid, nowMs());
        // The next pass tries again. If the sandbox is gone, the resync finds out, or the claim does.
        agents.prepare(sandbox).catch(() => preparedAt.delete(uid));
      }
    },
  };
}
