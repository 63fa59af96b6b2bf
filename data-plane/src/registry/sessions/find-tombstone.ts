import { eq } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { tombstones } from '../schema.ts';

/** Whose session it was and when it was deleted, or null where it never was. */
export async function findTombstone(
  { orm }: Queries,
  { sessionId }: { sessionId: string },
): Promise<typeof tombstones.$inferSelect | null> {
  const [tombstone] = await orm.select().from(tombstones).where(eq(tombstones.sessionId, sessionId));
  return tombstone ?? null;
}
