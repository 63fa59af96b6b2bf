import { eq } from 'drizzle-orm';
import { fromNow } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { type ShareRow, shares } from '../schema/shares.ts';

type NewShare = Pick<ShareRow, 'id' | 'sessionId' | 'access' | 'name'> & { expiresSeconds: number };

/** Adds a share link, or finds the one that has this id. */
export async function insertShare(
  { orm }: Queries,
  { expiresSeconds, ...share }: NewShare,
): Promise<{ share: ShareRow; isNew: boolean }> {
  const [inserted] = await orm
    .insert(shares)
    .values({ ...share, expiresAt: fromNow(expiresSeconds) })
    .onConflictDoNothing()
    .returning();
  if (inserted) return { share: inserted, isNew: true };
  const [known] = await orm.select().from(shares).where(eq(shares.id, share.id));
  if (!known) throw new Error(`share ${share.id} was neither inserted nor found`);
  return { share: known, isNew: false };
}
