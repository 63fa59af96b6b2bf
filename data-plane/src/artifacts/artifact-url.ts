import type { ArtifactRole } from '@holdfast/specs/public';

/** The URL of an artifact's content, relative to the server. Pure. */
export const artifactUrl = ({ sessionId, artifactId }: { sessionId: string; artifactId: string }): string =>
  `/v1/sessions/${sessionId}/artifacts/${artifactId}/content`;

type JobFile = { sessionId: string; jobId: string; path: string; role?: ArtifactRole | undefined };

/** The URL of a job's file, relative to the server. Without a role, it means the first role with this path. Pure. */
export function jobFileUrl({ sessionId, jobId, path, role }: JobFile): string {
  const names = path.split('/').map(encodeURIComponent).join('/');
  return `/v1/artifacts/${sessionId}/${jobId}/${names}${role ? `?role=${role}` : ''}`;
}
