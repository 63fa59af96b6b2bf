import { type CreatedShare, type CreateShare, newId } from '@holdfast/specs/public';
import { shareToken } from '../keys/share-token.ts';
import { entryOf } from '../policy/audit/asked-by.ts';
import { recordAudit } from '../registry/audit/record-audit.ts';
import { insertShare } from '../registry/shares/insert-share.ts';
import type { Caller } from '../sessions/caller.ts';
import { existingSession } from '../sessions/existing-session.ts';
import { type IdempotencyDependencies, idempotently } from '../sessions/idempotently.ts';
import { shareView } from './list-shares.ts';

type CreateInput = { caller: Caller; sessionId: string; request: CreateShare; idempotencyKey?: string | undefined };

/**
 * Makes a link that lets a person without a key join one session.
 * @throws Problem 404, 410 (deleted session)
 */
export async function createShare(deps: IdempotencyDependencies, input: CreateInput): Promise<CreatedShare> {
  const { caller, sessionId, request, idempotencyKey } = input;
  await existingSession(deps.db, { id: sessionId, tenant: caller.tenant });
  const first = {
    tenant: caller.tenant,
    key: idempotencyKey,
    request: ['create share', sessionId, request],
    newId: newId('shr'),
  };
  return await idempotently(deps, first, async (id) => {
    const { access, expiresSeconds, name = null } = request;
    const entry = entryOf(caller, sessionId, { operation: 'share.create', shareId: id, ...request });
    const row = await deps.db.transaction(async (tx) => {
      const { share, isNew } = await insertShare(tx, { id, sessionId, access, expiresSeconds, name });
      if (isNew) await recordAudit(tx, entry);
      return share;
    });
    const token = shareToken(deps.seal, row);
    return { ...shareView(row), token, url: `/v1/sessions/${sessionId}/events?token=${token}` };
  });
}
