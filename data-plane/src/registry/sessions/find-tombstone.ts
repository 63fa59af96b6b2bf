import { eq } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { type TombstoneRow, tombstones } from '../schema/sessions.ts';

/** Whose session it was and when it was deleted, or null where it never was. */
export async function findTombstone(
  { orm }: Queries,
  { sessionId }: { sessionId: string },
): Promise<TombstoneRow | null> {
  const [tombstone] = await orm.select().from(tombstones).where(eq(tombstones.sessionId, sessionId));
  return tombstone ?? null;
}
