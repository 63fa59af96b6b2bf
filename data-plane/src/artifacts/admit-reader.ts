import type { Seal } from '../keys/seal.ts';
import { checkSignature, type Signature } from '../keys/sign-url.ts';
import type { Database } from '../registry/connect.ts';
import { findSession } from '../registry/sessions/find-session.ts';
import { findTombstone } from '../registry/sessions/find-tombstone.ts';
import type { Caller } from '../sessions/caller.ts';
import { existingSession, noSession } from '../sessions/existing-session.ts';

export type ReaderDependencies = { db: Database; seal: Pick<Seal, 'sign'>; now(): Date };

/** The right to read: a caller, whose tenant must own the session, or the signature of a URL, which anyone may use. */
export type Access = { caller: Caller } | { signature: Signature };

type Reading = { access: Access; sessionId: string; url: string };

/**
 * Refuses a reader who may not read from the session at this URL, which is relative to the server.
 * @throws Problem 403, 404, 410 (deleted session)
 */
export async function admitReader(
  { db, seal, now }: ReaderDependencies,
  { access, sessionId, url }: Reading,
): Promise<void> {
  if ('signature' in access) checkSignature(seal, { ...access.signature, url, now: now() });
  const tenant = 'caller' in access ? access.caller.tenant : await tenantOf(db, sessionId);
  if (tenant === null) throw noSession(sessionId);
  await existingSession(db, { id: sessionId, tenant });
}

async function tenantOf(db: Database, sessionId: string): Promise<string | null> {
  const owned = (await findSession(db, { id: sessionId })) ?? (await findTombstone(db, { sessionId }));
  return owned?.tenant ?? null;
}
