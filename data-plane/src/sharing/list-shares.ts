import type { Page, Share } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import type { ShareRow } from '../registry/schema/shares.ts';
import { listShares as listShareRows } from '../registry/shares/list-shares.ts';
import type { Caller } from '../sessions/caller.ts';
import { existingSession } from '../sessions/existing-session.ts';

type ListInput = { caller: Caller; sessionId: string; limit: number; cursor?: string | undefined };

/**
 * The share links of a session, newest first, also those that no longer work.
 * @throws Problem 404, 410 (deleted session)
 */
export async function listShares(
  { db }: { db: Database },
  { caller, sessionId, ...page }: ListInput,
): Promise<Page<Share>> {
  await existingSession(db, { id: sessionId, tenant: caller.tenant });
  const { items, nextCursor } = await listShareRows(db, { sessionId, ...page });
  return { items: items.map(shareView), nextCursor };
}

/** The public share link: everything but its token. Pure. */
export const shareView = ({ createdAt, expiresAt, revokedAt, ...share }: ShareRow): Share => ({
  ...share,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
  revokedAt: revokedAt?.toISOString() ?? null,
});
