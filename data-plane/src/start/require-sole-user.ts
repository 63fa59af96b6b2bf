import { hostname } from 'node:os';
import { type Config, ConfigError } from '../config/parse-config.ts';
import type { Database } from '../registry/connect.ts';
import { replicaStaleSeconds } from '../registry/replicas/beat-replica.ts';
import { listLiveReplicas } from '../registry/replicas/list-live-replicas.ts';

type Requirement = { runtime: Config['runtime']; db: Database; slot: string };

/**
 * Refuses a database that another data-plane uses if the runtime cannot share it: the process runtime works alone, because it ends
 * every session when it stops and sees only its own sandboxes. The container runtime works on one machine, because a data-plane on
 * another machine has another engine and would declare this one's sandboxes lost.
 * @throws ConfigError
 */
export async function requireSoleUser({ runtime, db, slot }: Requirement): Promise<void> {
  if (runtime === 'kubernetes') return;
  const live = await listLiveReplicas(db);
  const others = live.filter((other) =>
    runtime === 'process' ? other.slot !== slot : !other.slot.startsWith(`${hostname()}:`),
  );
  if (others.length === 0) return;
  const names = others.map((other) => other.slot).join(', ');
  const rule =
    runtime === 'process'
      ? 'with HOLDFAST_RUNTIME=process only one data-plane may use a database'
      : 'with HOLDFAST_RUNTIME=container only data-planes of one machine may share a database';
  throw new ConfigError([
    `DATABASE_URL is in use by the data-plane ${names}: ${rule}. A killed data-plane counts as running for ${replicaStaleSeconds} s`,
  ]);
}
