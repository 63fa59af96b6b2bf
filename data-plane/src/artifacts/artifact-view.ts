import type { Artifact, ArtifactRole } from '@holdfast/specs/public';
import type { NewArtifact } from '../registry/artifacts/record-artifacts.ts';
import type { ArtifactRow } from '../registry/schema/artifacts.ts';

/** The public artifact without its step and time, which its event has anyway. */
export type ArtifactContent = Omit<Artifact, 'stepId' | 'createdAt'>;

/** The public artifact. Pure. */
export const artifactView = ({ sha256, ...row }: ArtifactRow): Artifact => ({
  ...artifactContent(row.sessionId, { ...row, sha256: sha256?.toString('hex') ?? null }),
  stepId: row.stepId,
  createdAt: row.createdAt.toISOString(),
});

/** The same for an artifact that is being recorded. Pure. */
export const artifactContent = (
  sessionId: string,
  { id, path, role, change, size, sha256, mimeType, concurrent, omission, rule }: NewArtifact,
): ArtifactContent => ({
  id,
  path,
  role,
  change,
  size,
  sha256,
  mimeType,
  concurrent,
  omission,
  ...(rule && { rule }),
  url: sha256 && artifactUrl({ sessionId, artifactId: id }),
});

/** The URL of an artifact's content, relative to the server. Pure. */
export const artifactUrl = ({ sessionId, artifactId }: { sessionId: string; artifactId: string }): string =>
  `/v1/sessions/${sessionId}/artifacts/${artifactId}/content`;

type JobFile = { sessionId: string; jobId: string; path: string; role?: ArtifactRole | undefined };

/** The URL of a job's file, relative to the server. Without a role, it means the first role with this path. Pure. */
export function jobFileUrl({ sessionId, jobId, path, role }: JobFile): string {
  const names = path.split('/').map(encodeURIComponent).join('/');
  return `/v1/artifacts/${sessionId}/${jobId}/${names}${role ? `?role=${role}` : ''}`;
}
