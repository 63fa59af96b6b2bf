import { and, eq, sql } from 'drizzle-orm';
import { now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { shares } from '../schema/shares.ts';

/** Revokes a share link. Revoking it again leaves the time of the first revocation. `not-found`: the session has no such link. */
export async function revokeShare(
  { orm }: Queries,
  { id, sessionId }: { id: string; sessionId: string },
): Promise<'revoked' | 'was-revoked' | 'not-found'> {
  const key = and(eq(shares.id, id), eq(shares.sessionId, sessionId));
  const revoked = await orm
    .update(shares)
    .set({ revokedAt: now })
    .where(and(key, sql`${shares.revokedAt} is null`))
    .returning({ id: shares.id });
  if (revoked.length > 0) return 'revoked';
  const known = await orm.select({ id: shares.id }).from(shares).where(key);
  return known.length > 0 ? 'was-revoked' : 'not-found';
}
