import { eq, sql } from 'drizzle-orm';
import { fromNow, now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { replicas } from '../schema/replicas.ts';

/** Records that this replica is alive. False if it was removed or replaced; then it must register again. */
export async function beatReplica({ orm }: Queries, { id }: { id: string }): Promise<boolean> {
  const updated = await orm
    .update(replicas)
    .set({
      heartbeatAt: now,
      beatingSince: sql`case when ${replicas.heartbeatAt} < ${fromNow(-replicaLateSeconds)} then now() else ${replicas.beatingSince} end`,
    })
    .where(eq(replicas.id, id))
    .returning({ id: replicas.id });
  return updated.length > 0;
}

/** A replica without a heartbeat for this long counts as gone. It allows for several late heartbeats. */
export const replicaStaleSeconds = 15;

/** A heartbeat that comes after this long is late: the replica may have slept, or the database may have answered no one. */
export const replicaLateSeconds = 8;
