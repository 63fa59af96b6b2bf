import { eq } from 'drizzle-orm';
import type { Database } from '../connect.ts';
import { tombstones } from '../schema.ts';

/** The tenant of a deleted session and the time of its deletion; null if no session of this id was deleted. */
export async function findTombstone(
  { orm }: Pick<Database, 'orm'>,
  { sessionId }: { sessionId: string },
): Promise<typeof tombstones.$inferSelect | null> {
  const [tombstone] = await orm.select().from(tombstones).where(eq(tombstones.sessionId, sessionId));
  return tombstone ?? null;
}
