import { Problem } from '@holdfast/specs/public';
import type { Seal } from '../keys/seal.ts';
import { checkSignature, type Signature } from '../keys/sign-url.ts';
import { listRevokedApiKeys } from '../registry/api-keys/list-revoked-api-keys.ts';
import type { Database } from '../registry/connect.ts';
import { findSession } from '../registry/sessions/find-session.ts';
import { findTombstone } from '../registry/sessions/find-tombstone.ts';
import type { Caller } from '../sessions/caller.ts';
import { existingSession, noSession } from '../sessions/existing-session.ts';

export type ReaderDependencies = { db: Database; seal: Pick<Seal, 'verify'>; now(): Date };

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
  if ('signature' in access) await admitSignature({ db, seal, now }, access.signature, url);
  const tenant = 'caller' in access ? access.caller.tenant : await tenantOf(db, sessionId);
  if (tenant === null) throw noSession(sessionId);
  await existingSession(db, { id: sessionId, tenant });
}

/**
 * A signed URL has the rights of the key that asked for it, so it ends with that key.
 * @throws Problem 403
 */
export async function admitSignature(
  { db, seal, now }: ReaderDependencies,
  signature: Signature,
  url: string,
): Promise<void> {
  checkSignature(seal, { ...signature, url, now: now() });
  if (signature.key === undefined) return;
  const revoked = await listRevokedApiKeys(db, { ids: [signature.key] });
  if (revoked.length > 0) throw new Problem('forbidden', { detail: 'the API key that signed this URL was revoked' });
}

/** The owner of a session, also of one that was deleted; null if there never was one. */
export async function tenantOf(db: Database, sessionId: string): Promise<string | null> {
  const owned = (await findSession(db, { id: sessionId })) ?? (await findTombstone(db, { sessionId }));
  return owned?.tenant ?? null;
}
