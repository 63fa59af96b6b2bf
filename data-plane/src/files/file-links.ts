import { type CreateFileLink, type FileLink, type FileLinkOperation, fileUrl } from '@holdfast/specs/public';
import { admitSignature, type ReaderDependencies, tenantOf } from '../artifacts/admit-reader.ts';
import type { Seal } from '../keys/seal.ts';
import { type Signature, signUrl } from '../keys/sign-url.ts';
import { entryOf } from '../policy/audit/asked-by.ts';
import { recordAudit } from '../registry/audit/record-audit.ts';
import type { Database } from '../registry/connect.ts';
import type { Caller } from '../sessions/caller.ts';
import { existingSession, noSession } from '../sessions/existing-session.ts';

type CreateDependencies = { db: Database; seal: Pick<Seal, 'sign'>; now(): Date };
type CreateInput = { caller: Caller; sessionId: string; request: CreateFileLink };

/**
 * Makes a URL with which anyone may read or write one file of a session, until it expires or the API key that asked for it is revoked. The
 * file need not exist, and the rules of the session are those of the time at which the URL is used.
 *
 * @throws Problem 404, 410 (deleted session)
 */
export async function createFileLink(
  { db, seal, now }: CreateDependencies,
  { caller, sessionId, request: { path, operation, expiresSeconds } }: CreateInput,
): Promise<FileLink> {
  await existingSession(db, { id: sessionId, tenant: caller.tenant });
  const expiresAt = new Date(Math.floor(now().getTime() / 1000 + expiresSeconds) * 1000);
  const link = { path, operation, expiresAt: expiresAt.toISOString() };
  await recordAudit(db, entryOf(caller, sessionId, { ...link, allows: operation, operation: 'file-link.create' }));
  return { ...link, url: signUrl(seal, urlOf({ sessionId, path, operation }), { expiresAt, keyId: caller.keyId }) };
}

type OpenInput = { sessionId: string; path: string; operation: FileLinkOperation; signature: Signature };

/**
 * The caller for which the signature of a URL stands: its session's tenant, with the key that asked for the URL.
 * @throws Problem 403 unless it was made for this file and this operation, has not expired and its key is not revoked
 */
export async function openFileLink(
  deps: ReaderDependencies,
  { sessionId, path, operation, signature }: OpenInput,
): Promise<Caller> {
  await admitSignature(deps, signature, urlOf({ sessionId, path, operation }));
  const tenant = await tenantOf(deps.db, sessionId);
  if (tenant === null) throw noSession(sessionId);
  return { tenant, scopes: new Set(), keyId: signature.key ?? null, actorName: 'signed URL' };
}

/** The same for all ways to write a path, so a signature is for the file and not for a form of its URL. */
function urlOf({ sessionId, path, operation }: Omit<OpenInput, 'signature'>): string {
  return `${fileUrl({ sessionId, path })}?operation=${operation}`;
}
