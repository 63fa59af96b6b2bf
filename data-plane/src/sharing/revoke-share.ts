import { Problem } from '@holdfast/specs/public';
import { entryOf } from '../policy/audit/asked-by.ts';
import { recordAudit } from '../registry/audit/record-audit.ts';
import type { Database } from '../registry/connect.ts';
import { revokeShare as revokeShareRow } from '../registry/shares/revoke-share.ts';
import type { Caller } from '../sessions/caller.ts';
import { existingSession } from '../sessions/existing-session.ts';

type RevokeDependencies = {
  db: Database;
  /** Forgets who was admitted. */
  authentication: { clear(): void };
  openRequests: { endAll(id: string): void };
};

/**
 * Revokes a share link. This replica refuses it and ends its streams at once, the others within five seconds.
 * @throws Problem 404, 410 (deleted session)
 */
export async function revokeShare(
  { db, authentication, openRequests }: RevokeDependencies,
  { caller, sessionId, shareId: id }: { caller: Caller; sessionId: string; shareId: string },
): Promise<void> {
  await existingSession(db, { id: sessionId, tenant: caller.tenant });
  const entry = entryOf(caller, sessionId, { operation: 'share.revoke', shareId: id });
  const result = await db.transaction(async (tx) => {
    const revoked = await revokeShareRow(tx, { id, sessionId });
    if (revoked === 'revoked') await recordAudit(tx, entry);
    return revoked;
  });
  if (result === 'not-found') throw new Problem('not-found', { detail: `share ${id} does not exist in this session` });
  authentication.clear();
  openRequests.endAll(id);
}
