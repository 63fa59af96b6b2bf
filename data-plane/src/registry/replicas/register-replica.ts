import { eq } from 'drizzle-orm';
import { now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { replicas } from '../schema/replicas.ts';

/** Adds this replica in place of an earlier one of the same slot, whose id is given back: its steps are free from now on. */
export async function registerReplica(
  { transaction }: Queries,
  { id, slot }: { id: string; slot: string },
): Promise<{ succeededId: string | null }> {
  return await transaction(async ({ orm }) => {
    const [earlier] = await orm.delete(replicas).where(eq(replicas.slot, slot)).returning({ id: replicas.id });
    const replica = { id, slot, heartbeatAt: now };
    // Another newcomer may have come in between the two statements: then the later one succeeds it.
    await orm.insert(replicas).values(replica).onConflictDoUpdate({ target: replicas.slot, set: replica });
    return { succeededId: earlier?.id ?? null };
  });
}
