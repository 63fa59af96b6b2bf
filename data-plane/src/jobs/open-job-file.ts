import { type ArtifactRole, Problem } from '@holdfast/specs/public';
import { type Access, admitReader } from '../artifacts/admit-reader.ts';
import { jobFileUrl } from '../artifacts/artifact-view.ts';
import { type OpenArtifact, type OpenDependencies, openRow } from '../artifacts/open-artifact.ts';
import { findArtifactByPath } from '../registry/artifacts/find-artifact-by-path.ts';

type JobFileInput = {
  access: Access;
  sessionId: string;
  jobId: string;
  path: string;
  /** If it is absent, the first role with this path counts: output to a stream, then a written file, then an input. */
  role?: ArtifactRole | undefined;
};

const anyRole = ['stdout', 'stderr', 'output', 'input'] as const;

/**
 * Opens a file of a job by its path.
 * @throws Problem 403 (an invalid or expired signature), 404 (also if the content was not stored), 410 (deleted session)
 */
export async function openJobFile(
  deps: OpenDependencies,
  { access, sessionId, jobId, path, role }: JobFileInput,
): Promise<OpenArtifact> {
  await admitReader(deps, { access, sessionId, url: jobFileUrl({ sessionId, jobId, path, role }) });
  const key = { sessionId, stepId: jobId, path, roles: role ? [role] : anyRole };
  const row = await findArtifactByPath(deps.db, key);
  if (!row) throw new Problem('not-found', { detail: `job ${jobId} has no file ${path}` });
  return await openRow(deps, row);
}
