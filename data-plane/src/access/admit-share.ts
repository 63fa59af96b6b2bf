import { Problem } from '@holdfast/specs/public';
import type { Seal } from '../keys/seal.ts';
import { isShareToken, shareIdIn } from '../keys/share-token.ts';
import type { Database } from '../registry/connect.ts';
import { findLiveShare } from '../registry/shares/find-live-share.ts';
import type { Caller } from '../sessions/caller.ts';

/**
 * The caller who has the token of a share link. It has no scope: see `http/edge/shared-operations.ts`. The link's id takes the place of
 * the key's.
 * @throws Problem 401
 */
export async function admitShare(
  { db, seal }: { db: Database; seal: Pick<Seal, 'verify'> },
  token: string,
): Promise<Caller> {
  const share = await findLiveShare(db, { id: shareIdIn(token) ?? '' });
  if (!share || !isShareToken(seal, token, share)) {
    throw new Problem('unauthenticated', { detail: 'the share link is not known, was revoked or has expired' });
  }
  const { id, tenant, sessionId, access, name, leftMs } = share;
  return {
    tenant,
    scopes: new Set(),
    keyId: id,
    actor: 'user',
    actorName: name,
    endsAtMs: performance.now() + leftMs,
    share: { sessionId, access },
  };
}
