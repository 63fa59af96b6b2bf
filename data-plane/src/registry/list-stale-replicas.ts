import { lt } from 'drizzle-orm';
import { fromNow } from './clock.ts';
import type { Database } from './connect.ts';
import { replicaStaleSeconds } from './replica-stale-seconds.ts';
import { replicas } from './schema.ts';

/** Replicas without a heartbeat for that long. */
export async function listStaleReplicas(
  { orm }: Pick<Database, 'orm'>,
  { staleSeconds = replicaStaleSeconds }: { staleSeconds?: number } = {},
): Promise<(typeof replicas.$inferSelect)[]> {
  return orm
    .select()
    .from(replicas)
    .where(lt(replicas.heartbeatAt, fromNow(-staleSeconds)));
}
