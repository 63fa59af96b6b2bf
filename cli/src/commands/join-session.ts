import type { Holdfast, Session } from '@holdfast/sdk';
import { findSession, isSessionId } from '../connection/find-session.ts';
import { withProgress } from '../output/progress.ts';

export type JoinOptions = { session?: string; language?: string };

/** A session, and whether it was made for this command alone. */
export type Joined = { session: Session; isOwn: boolean };

/** Joins the session with this id or client key, which is made if no session has the key. Without a name, it is a new one. */
export async function joinSession(holdfast: Holdfast, { session: name, language }: JoinOptions): Promise<Joined> {
  if (name !== undefined && isSessionId(name)) return { session: await findSession(holdfast, name), isOwn: false };
  const made = holdfast.sessions.create({ clientKey: name, language });
  return { session: await withProgress('Starting a session', made), isOwn: name === undefined };
}
