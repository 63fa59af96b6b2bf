import type { Artifact } from '@holdfast/specs/public';
import type { Seal } from '../keys/seal.ts';
import { signUrl } from '../keys/sign-url.ts';
import type { Database } from '../registry/connect.ts';
import type { Caller } from '../sessions/caller.ts';

export type SignDependencies = { db: Database; seal: Pick<Seal, 'sign'>; now(): Date };

/** The artifact with a URL that needs no API key for `signedSeconds`, signed for the caller. Unchanged if `signedSeconds` is undefined. */
export function signArtifactUrl(
  { seal, now }: Omit<SignDependencies, 'db'>,
  artifact: Artifact,
  { caller, signedSeconds }: { caller: Caller; signedSeconds?: number | undefined },
): Artifact {
  if (artifact.url === null || signedSeconds === undefined) return artifact;
  const expiresAt = new Date(now().getTime() + signedSeconds * 1000);
  return { ...artifact, url: signUrl(seal, artifact.url, { expiresAt, keyId: caller.keyId }) };
}
