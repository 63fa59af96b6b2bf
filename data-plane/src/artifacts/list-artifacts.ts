import type { Artifact, Page } from '@holdfast/specs/public';
import { listArtifacts as listArtifactRows } from '../registry/artifacts/list-artifacts.ts';
import type { Caller } from '../sessions/caller.ts';
import { existingSession } from '../sessions/existing-session.ts';
import { artifactView } from './artifact-view.ts';
import { type SignDependencies, signArtifactUrl } from './sign-artifact-url.ts';

type ListInput = {
  caller: Caller;
  sessionId: string;
  stepId?: string | undefined;
  signedSeconds?: number | undefined;
  limit: number;
  cursor?: string | undefined;
};

/**
 * The artifacts of a session or of one of its steps, oldest first.
 * @throws Problem 404, 410 (deleted session)
 */
export async function listArtifacts(
  deps: SignDependencies,
  { caller, sessionId, signedSeconds, ...page }: ListInput,
): Promise<Page<Artifact>> {
  await existingSession(deps.db, { id: sessionId, tenant: caller.tenant });
  const { items, nextCursor } = await listArtifactRows(deps.db, { sessionId, ...page });
  return { items: items.map((row) => signArtifactUrl(deps, artifactView(row), { caller, signedSeconds })), nextCursor };
}
