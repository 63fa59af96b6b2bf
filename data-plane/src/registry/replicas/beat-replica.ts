import { eq } from 'drizzle-orm';
import { now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { replicas } from '../schema/replicas.ts';

/** Says that this replica is alive. False where it was removed or succeeded: then it has to register anew. */
export async function beatReplica({ orm }: Queries, { id }: { id: string }): Promise<boolean> {
  const beaten = await orm
    .update(replicas)
    .set({ heartbeatAt: now })
    .where(eq(replicas.id, id))
    .returning({ id: replicas.id });
  return beaten.length > 0;
}
