import { Pool } from 'undici';
import { createAgentConnector } from './agent-connector.ts';
import type { Pace } from './pace.ts';

/** The peer of connections: one sandbox, proved by its key. */
type Peer = { sandboxUid: string; endpoint: string; agentPublicKey: string };
/** Says for which epoch of which session a sandbox is. */
export type Assigned = { sessionId: string; epoch: number };
type Connections = { steps: Pool; control: Pool };
type Known = Connections & { assigned: Assigned | null };

type ConnectionsOptions = {
  pace: Pace;
  onConnections(change: 1 | -1): void;
  /** Whether the session has gone on to another epoch, or has ended. */
  isReplaced(assigned: Assigned): Promise<boolean>;
};

/**
 * Connections to session-agents. They are kept apart by the sandbox's uid, so that none outlives the route of its sandbox: many for the
 * streams of steps and for whatever else takes long, and a few for the rest, so that a fence or an interrupt never waits for steps. All
 * are opened when they are needed: a session at rest has one, which its lease keeps open, so the next step finds its peer proved.
 */
export function createAgentConnections({ pace, onConnections, isReplaced }: ConnectionsOptions) {
  const bySandbox = new Map<string, Known>();

  /** A sandbox that was replaced still has to hear of its fence, but nothing else. */
  const isInVain = async (uid: string): Promise<boolean> => {
    const assigned = bySandbox.get(uid)?.assigned;
    return assigned ? await isReplaced(assigned) : false;
  };

  type Opening = { connections: number; isReplaced?: () => Promise<boolean> };

  function open({ endpoint, sandboxUid: uid, agentPublicKey: publicKey }: Peer, { connections, ...options }: Opening) {
    const opened = new Pool(endpoint, {
      connect: createAgentConnector({ uid, publicKey }, pace, options),
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
    /** `assigned` is null as long as no session has the sandbox. */
    of(peer: Peer, assigned: Assigned | null): Connections {
      const { sandboxUid: uid } = peer;
      const known = bySandbox.get(uid);
      if (known) return Object.assign(known, { assigned });
      const steps = open(peer, { connections: 1024, isReplaced: () => isInVain(uid) });
      const opened = { steps, control: open(peer, { connections: 16 }), assigned };
      bySandbox.set(uid, opened);
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
