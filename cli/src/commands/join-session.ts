import type { Holdfast, Session } from '@holdfast/sdk';
import { findSession, isSessionId } from '../connection/find-session.ts';
import { Failure } from '../failures/failure.ts';
import { note, withProgress } from '../output/progress.ts';
import { onStop } from '../run/stops.ts';

export type JoinOptions = { session?: string; language?: string | undefined; keep?: boolean };

/** A session, and whether it was made for this command alone. */
export type Joined = { session: Session; isOwn: boolean };

const leaveMsMax = 5000;

/**
 * Joins the session with this id or client key, which is made if no session has the key. Without a name it is a new one, which ends by itself
 * after `idleSeconds` if the command cannot end it.
 */
export async function joinSession(
  holdfast: Holdfast,
  { session: name, keep, language }: JoinOptions,
  idleSeconds: number,
): Promise<Joined> {
  if (name !== undefined && keep) {
    throw new Failure('--keep is for a new session; one that --session names stays anyway', { exitCode: 2 });
  }
  if (name !== undefined && isSessionId(name)) return { session: await findSession(holdfast, name), isOwn: false };
  const isOwn = name === undefined;
  const idle = isOwn && !keep ? { idleTimeoutSeconds: idleSeconds } : {};
  const made = holdfast.sessions.create({ clientKey: name, language, ...idle });
  return { session: await withProgress('Starting a session', made), isOwn };
}

/** Ends a session that was made for the command alone, or tells that it is kept. */
export async function leaveSession({ session, isOwn }: Joined, isKept = false): Promise<void> {
  if (!isOwn) return;
  if (isKept) return note(`session ${session.id}`);
  const impatient = new AbortController();
  // A window that is closed says so twice: the shell, and then the terminal.
  using _stops = onStop((stop) => {
    if (stop === 'SIGINT' || stop === 'SIGTERM') impatient.abort();
  });
  const signal = AbortSignal.any([impatient.signal, AbortSignal.timeout(leaveMsMax)]);
  await session.complete({ signal }).catch(() => {});
}
