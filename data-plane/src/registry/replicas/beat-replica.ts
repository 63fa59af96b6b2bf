import { eq } from 'drizzle-orm';
import { now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { replicas } from '../schema/replicas.ts';

/** Records that this replica is alive. False if it was removed or replaced; then it must register again. */
export async function beatReplica({ orm }: Queries, { id }: { id: string }): Promise<boolean> {
  const updated = await orm
    .update(replicas)
    .set({ heartbeatAt: now })
    .where(eq(replicas.id, id))
    .returning({ id: replicas.id });
  return updated.length > 0;
}

/** A replica without a heartbeat for this long counts as gone. It allows for several late heartbeats. */
export const replicaStaleSeconds = 15;
