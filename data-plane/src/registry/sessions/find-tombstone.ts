import { eq } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { type TombstoneRow, tombstones } from '../schema/sessions.ts';

/** The tenant of a deleted session and the time of its deletion; null if no session of this id was deleted. */
export async function findTombstone(
  { orm }: Queries,
  { sessionId }: { sessionId: string },
): Promise<TombstoneRow | null> {
  const [tombstone] = await orm.select().from(tombstones).where(eq(tombstones.sessionId, sessionId));
  return tombstone ?? null;
}
