import type { Artifact } from '@holdfast/specs/public';
import type { NewArtifact } from '../registry/artifacts/record-artifacts.ts';
import type { ArtifactRow } from '../registry/schema/artifacts.ts';
import { artifactUrl } from './artifact-url.ts';

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
  { id, path, role, change, size, sha256, mimeType, concurrent, omission }: NewArtifact,
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
  url: sha256 && artifactUrl({ sessionId, artifactId: id }),
});
