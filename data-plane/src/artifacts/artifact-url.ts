import type { ArtifactRole } from '@holdfast/specs/public';

/** Where an artifact's content is, relative to the server. Pure. */
export const artifactUrl = ({ sessionId, artifactId }: { sessionId: string; artifactId: string }): string =>
  `/v1/sessions/${sessionId}/artifacts/${artifactId}/content`;

type JobFile = { sessionId: string; jobId: string; path: string; role?: ArtifactRole | undefined };

/** Where a file of a job is, relative to the server: of that role, or of the first that has the path. Pure. */
export function jobFileUrl({ sessionId, jobId, path, role }: JobFile): string {
  const names = path.split('/').map(encodeURIComponent).join('/');
  return `/v1/artifacts/${sessionId}/${jobId}/${names}${role ? `?role=${role}` : ''}`;
}
