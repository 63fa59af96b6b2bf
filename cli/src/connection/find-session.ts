import type { Holdfast, Session } from '@holdfast/sdk';
import { Failure } from '../failures/failure.ts';

export const isSessionId = (name: string) => /^ses_[0-9a-z]{26}$/.test(name);

const ended: ReadonlySet<string> = new Set(['completed', 'aborted', 'expired', 'failed']);

/**
 * The session with this id or client key; of those with the same key the one that lives, or else the latest.
 * @throws Failure if there is none
 */
export async function findSession(holdfast: Holdfast, name: string): Promise<Session> {
  if (isSessionId(name)) return await holdfast.sessions.get(name);
  let latest: Session | undefined;
  for await (const session of holdfast.sessions.list({ clientKey: name, order: 'desc' })) {
    if (!ended.has(session.status)) return session;
    latest ??= session;
  }
  if (!latest) throw new Failure(`no session has the id or the client key ${JSON.stringify(name)}`);
  return latest;
}
