import { Pool } from 'undici';
import { createAgentConnector } from './agent-connector.ts';
import type { Pace } from './pace.ts';

/** The peer of connections: one sandbox, proved by its key. */
type Peer = { sandboxUid: string; endpoint: string; agentPublicKey: string };
type Connections = { steps: Pool; control: Pool };

/**
 * Connections to session-agents. They are kept apart by the sandbox's uid, so that none outlives the route of its sandbox: many for the
 * streams of steps and for whatever else takes long, and a few for the rest, so that a fence or an interrupt never waits for steps. All
 * are opened when they are needed: a session at rest has one, which its lease keeps open, so the next step finds its peer proved.
 */
export function createAgentConnections({ pace, onConnections }: { pace: Pace; onConnections(change: 1 | -1): void }) {
  const bySandbox = new Map<string, Connections>();

  function open({ endpoint, sandboxUid: uid, agentPublicKey: publicKey }: Peer, connections: number): Pool {
    const opened = new Pool(endpoint, {
      connect: createAgentConnector({ uid, publicKey }, pace),
      keepAliveTimeout: 60_000,
      keepAliveMaxTimeout: 60_000,
      connections,
    });
    opened.on('connect', () => onConnections(1));
    opened.on('disconnect', () => onConnections(-1));
    return opened;
  }

  function disconnect(uid: string): void {
    const { steps, control } = bySandbox.get(uid) ?? {};
    bySandbox.delete(uid);
    for (const connections of [steps, control]) connections?.destroy().catch(() => {});
  }

  return {
    of(peer: Peer): Connections {
      const known = bySandbox.get(peer.sandboxUid);
      if (known) return known;
      const opened = { steps: open(peer, 1024), control: open(peer, 16) };
      bySandbox.set(peer.sandboxUid, opened);
      return opened;
    },

    /** Ends all connections to a sandbox. */
    disconnect,

    /** Ends the connections to sandboxes that are not among `uids` and have no request under way; returns the uids of these sandboxes. */
    disconnectIdleBut(uids: ReadonlySet<string>): string[] {
      const idle = [...bySandbox].filter(([uid, known]) => !uids.has(uid) && isIdle(known)).map(([uid]) => uid);
      for (const uid of idle) disconnect(uid);
      return idle;
    },

    async close(): Promise<void> {
      await Promise.all([...bySandbox.values()].flatMap(({ steps, control }) => [steps.destroy(), control.destroy()]));
      bySandbox.clear();
    },
  };
}

const isIdle = ({ steps, control }: Connections) =>
  [steps, control].every(({ stats }) => stats.running + stats.pending + stats.queued === 0);
