import type { Artifact } from '@holdfast/specs/public';
import { findArtifact } from '../registry/artifacts/find-artifact.ts';
import type { Caller } from '../sessions/caller.ts';
import { existingSession } from '../sessions/existing-session.ts';
import { artifactView } from './artifact-view.ts';
import { artifactNotFound } from './open-artifact.ts';
import { type SignDependencies, signArtifactUrl } from './sign-artifact-url.ts';

type GetInput = { caller: Caller; sessionId: string; artifactId: string; signedSeconds?: number | undefined };

/**
 * One artifact.
 * @throws Problem 404, 410 (deleted session)
 */
export async function getArtifact(
  deps: SignDependencies,
  { caller, sessionId, artifactId, signedSeconds }: GetInput,
): Promise<Artifact> {
  await existingSession(deps.db, { id: sessionId, tenant: caller.tenant });
  const row = await findArtifact(deps.db, { sessionId, id: artifactId });
  if (!row) throw artifactNotFound(artifactId);
  return signArtifactUrl(deps, artifactView(row), { caller, signedSeconds });
}
