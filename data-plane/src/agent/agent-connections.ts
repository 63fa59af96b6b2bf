import { Pool } from 'undici';
import { agentConnector } from './agent-connector.ts';

/** What connections go to: one life of a sandbox. */
type PoolTarget = { sandboxUid: string; endpoint: string; agentPublicKey: string };
type Pools = { steps: Pool; control: Pool };

/**
 * Connections to session-agents, pooled per sandbox uid, so that none outlives its sandbox's route: one pool for the streams of steps and
 * what else takes long, and a small one for everything else, so that no number of steps keeps a fence or an interrupt waiting.
 */
export function createAgentConnections({ onConnections }: { onConnections(change: 1 | -1): void }) {
  const pools = new Map<string, Pools>();

  function newPool({ endpoint, sandboxUid: uid, agentPublicKey: publicKey }: PoolTarget, connections: number): Pool {
    const pool = new Pool(endpoint, {
      connect: agentConnector({ uid, publicKey }),
      keepAliveTimeout: 60_000,
      keepAliveMaxTimeout: 60_000,
      connections,
    });
    pool.on('connect', () => onConnections(1));
    pool.on('disconnect', () => onConnections(-1));
    return pool;
  }

  function forget(uid: string): void {
    const { steps, control } = pools.get(uid) ?? {};
    pools.delete(uid);
    for (const pool of [steps, control]) pool?.destroy().catch(() => {});
  }

  return {
    of(target: PoolTarget): Pools {
      const known = pools.get(target.sandboxUid);
      if (known) return known;
      const made = { steps: newPool(target, 1024), control: newPool(target, 16) };
      pools.set(target.sandboxUid, made);
      return made;
    },

    /** Ends all connections to a sandbox. */
    forget,

    /** Ends the connections to sandboxes that are not among `uids` and have no request under way; returns which those were. */
    forgetIdleBut(uids: ReadonlySet<string>): string[] {
      const idle = [...pools].filter(([uid, known]) => !uids.has(uid) && isIdle(known)).map(([uid]) => uid);
      for (const uid of idle) forget(uid);
      return idle;
    },

    async close(): Promise<void> {
      await Promise.all([...pools.values()].flatMap(({ steps, control }) => [steps.destroy(), control.destroy()]));
      pools.clear();
    },
  };
}

const isIdle = ({ steps, control }: Pools) =>
  [steps, control].every(({ stats }) => stats.running + stats.pending + stats.queued === 0);
