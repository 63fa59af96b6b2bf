import type { Session } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import type { Caller } from './caller.ts';
import { existingSession } from './existing-session.ts';
import { sessionView } from './session-view.ts';

/** @throws Problem 404; 410 if the session was deleted */
export async function getSession(
  { db }: { db: Database },
  { caller, id }: { caller: Caller; id: string },
): Promise<Session> {
  return await sessionView(db, await existingSession(db, { id, tenant: caller.tenant }));
}
