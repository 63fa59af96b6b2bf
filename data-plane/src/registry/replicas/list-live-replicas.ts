import { gte } from 'drizzle-orm';
import { fromNow } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { type ReplicaRow, replicas } from '../schema/replicas.ts';
import { replicaStaleSeconds } from './beat-replica.ts';

/** Replicas with a heartbeat within the last `staleSeconds`. */
export async function listLiveReplicas(
  { orm }: Queries,
  { staleSeconds = replicaStaleSeconds }: { staleSeconds?: number } = {},
): Promise<ReplicaRow[]> {
  return orm
    .select()
    .from(replicas)
    .where(gte(replicas.heartbeatAt, fromNow(-staleSeconds)));
}
