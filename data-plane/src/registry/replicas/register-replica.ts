import { eq } from 'drizzle-orm';
import { now } from '../clock.ts';
import type { Database } from '../connect.ts';
import { replicas } from '../schema.ts';

/** Adds this replica in place of an earlier one of the same slot, whose id is given back: its steps are free from now on. */
export async function registerReplica(
  { orm }: Pick<Database, 'orm'>,
  { id, slot }: { id: string; slot: string },
): Promise<{ succeededId: string | null }> {
  return orm.transaction(async (tx) => {
    const [earlier] = await tx.delete(replicas).where(eq(replicas.slot, slot)).returning({ id: replicas.id });
    const replica = { id, slot, heartbeatAt: now };
    // Another newcomer may have come in between the two statements: then the later one succeeds it.
    await tx.insert(replicas).values(replica).onConflictDoUpdate({ target: replicas.slot, set: replica });
    return { succeededId: earlier?.id ?? null };
  });
}
