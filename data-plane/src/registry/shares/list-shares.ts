import type { Page } from '@holdfast/specs/public';
import { and, desc, eq } from 'drizzle-orm';
import { olderThan, timePage } from '../cursor.ts';
import type { Queries } from '../queries.ts';
import { type ShareRow, shares } from '../schema/shares.ts';

/**
 * The share links of a session, newest first, also those that no longer work.
 * @throws Problem `invalid-request` if the cursor is invalid.
 */
export async function listShares(
  { orm }: Queries,
  { sessionId, limit, cursor }: { sessionId: string; limit: number; cursor?: string | undefined },
): Promise<Page<ShareRow>> {
  const rows = await orm
    .select()
    .from(shares)
    .where(and(eq(shares.sessionId, sessionId), olderThan(cursor, shares)))
    .orderBy(desc(shares.createdAt), desc(shares.id))
    .limit(limit + 1);
  return timePage(rows, limit);
}
