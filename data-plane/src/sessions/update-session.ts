import { Problem, type Session, type UpdateSession } from '@holdfast/specs/public';
import { askedBy } from '../policy/audit/asked-by.ts';
import type { Database } from '../registry/connect.ts';
import { patchSession } from '../registry/sessions/patch-session.ts';
import type { Caller } from './caller.ts';
import { existingSession, refuseUnlessActive } from './existing-session.ts';
import { sessionView } from './session-view.ts';

type UpdateInput = { caller: Caller; id: string; patch: UpdateSession };

/**
 * Changes metadata and timeouts of a session that has not ended.
 * @throws Problem 404, 410
 */
export async function updateSession({ db }: { db: Database }, { caller, id, patch }: UpdateInput): Promise<Session> {
  const row = await patchSession(db, {
    id,
    tenant: caller.tenant,
    patch,
    change: askedBy(caller, 'session.update', patch),
  });
  if (row) return sessionView(row);
  refuseUnlessActive(await existingSession(db, { id, tenant: caller.tenant }));
  throw new Problem('session-not-active', { detail: `session ${id} changed its status just now` });
}
