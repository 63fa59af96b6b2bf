import { Problem, type SessionStatus } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import type { SessionRow } from '../registry/schema/sessions.ts';
import { findSession } from '../registry/sessions/find-session.ts';
import { findTombstone } from '../registry/sessions/find-tombstone.ts';
import { hasSandbox, isKnownStatus } from './status.ts';

/**
 * The session's row.
 * @throws Problem 404 if the tenant has no such session, 410 if it was deleted
 */
export async function existingSession(
  db: Database,
  { id, tenant }: { id: string; tenant: string },
): Promise<SessionRow> {
  const session = await findSession(db, { id, tenant });
  if (session && !session.deleteRequestedAt) return session;
  const deletedAt = session?.deleteRequestedAt ?? (await deletionOf(db, { id, tenant }));
  if (!deletedAt) throw noSession(id);
  throw new Problem('session-ended', {
    detail: `session ${id} was deleted`,
    endReason: 'deleted',
    endedAt: deletedAt.toISOString(),
  });
}

/** When the tenant's session was deleted; null if the tenant had no session of this id. */
export async function deletionOf(db: Database, { id, tenant }: { id: string; tenant: string }): Promise<Date | null> {
  const tombstone = await findTombstone(db, { sessionId: id });
  return tombstone?.tenant === tenant ? tombstone.deletedAt : null;
}

export const noSession = (id: string) => new Problem('not-found', { detail: `session ${id} does not exist` });

type Ended = {
  id: string;
  status: SessionStatus;
  endReason: string | null;
  endMessage: string | null;
  endedAt: Date | null;
  lostReason: string | null;
};

/**
 * Whether a step may be admitted is for its admission to say: a session whose budget is used up can still be read and changed.
 * @throws Problem 503 while the session is starting or in a status that only newer replicas know, 409 if it waits for its host or is paused, 410 if it has ended
 */
export function refuseUnlessActive({ id, status, endReason, endMessage, endedAt, lostReason }: Ended): void {
  if (hasSandbox(status)) return;
  if (status === 'creating') {
    throw new Problem('session-starting', { detail: `session ${id} is still starting`, retryAfterSeconds: 1 });
  }
  const reason = lostReason ? { endReason: lostReason } : {};
  if (status === 'recovering') {
    const detail = `session ${id} has lost its sandbox and is getting another one`;
    throw new Problem('session-starting', { detail, retryAfterSeconds: 1, ...reason });
  }
  if (status === 'resuming') {
    throw new Problem('session-starting', { detail: `session ${id} is being resumed`, retryAfterSeconds: 1 });
  }
  if (status === 'pausing' || status === 'paused') {
    const detail = `session ${id} is ${status === 'paused' ? 'paused' : 'being paused'}; POST /v1/sessions/${id}/resume resumes it`;
    throw new Problem('session-paused', { detail });
  }
  if (status === 'lost') {
    const detail = `session ${id} has lost its sandbox; POST /v1/sessions/${id}/recover gives it another one`;
    throw new Problem('session-not-active', { detail, ...reason });
  }
  if (!isKnownStatus(status)) throw unknownStatus({ id, status });
  throw new Problem('session-ended', {
    detail: `session ${id} is ${status}${endMessage ? `: ${endMessage}` : ''}`,
    ...(endReason && { endReason }),
    ...(endedAt && { endedAt: endedAt.toISOString() }),
  });
}

/** For a session in a status that this version does not know: a newer replica can serve the request. */
export const unknownStatus = ({ id, status }: { id: string; status: string }) =>
  new Problem('session-starting', {
    detail: `session ${id} is ${status}, which this replica does not know: it is being replaced by a newer version`,
    retryAfterSeconds: 1,
  });

/** Another request or replica was faster. Its result is known soon. */
export const changedJustNow = (id: string) =>
  new Problem('session-starting', { detail: `session ${id} changed its status just now`, retryAfterSeconds: 1 });

/** Whether a refusal says that the session can run nothing now, or never again. Pure. */
export const isInactive = (error: unknown): boolean => error instanceof Problem && inactive.has(error.slug);

const inactive: ReadonlySet<string> = new Set([
  'session-ended',
  'session-not-active',
  'session-paused',
  'session-starting',
]);
