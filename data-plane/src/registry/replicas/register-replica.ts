import { eq } from 'drizzle-orm';
import { now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { replicas } from '../schema/replicas.ts';

/** Adds this replica, replacing an earlier one of the same slot. Returns the id of that one: its steps can now be reassigned. */
export async function registerReplica(
  { transaction }: Queries,
  { id, slot }: { id: string; slot: string },
): Promise<{ succeededId: string | null }> {
  return await transaction(async ({ orm }) => {
    const [earlier] = await orm.delete(replicas).where(eq(replicas.slot, slot)).returning({ id: replicas.id });
    const replica = { id, slot, heartbeatAt: now, beatingSince: now };
    // Another replica may register between the two statements; the later one replaces it.
    await orm.insert(replicas).values(replica).onConflictDoUpdate({ target: replicas.slot, set: replica });
    return { succeededId: earlier?.id ?? null };
  });
}
