import { Problem } from '@holdfast/specs/public';
import type { Contents } from '../contents/contents.ts';
import { findArtifact } from '../registry/artifacts/find-artifact.ts';
import type { ArtifactRow } from '../registry/schema/artifacts.ts';
import { type Access, admitReader, type ReaderDependencies } from './admit-reader.ts';
import { artifactUrl } from './artifact-view.ts';

export type OpenDependencies = ReaderDependencies & { contents: Pick<Contents, 'open'> };

/** A stored content. `path` is relative to the workspace; `read` yields the bytes from `start` up to, not including, `end`. */
export type OpenArtifact = {
  path: string;
  mimeType: string;
  sha256: string;
  size: number;
  read(range: { start: number; end: number }): AsyncIterable<Uint8Array>;
};

/**
 * Opens the stored content of an artifact, which outlives the sandbox.
 * @throws Problem 403 (an invalid or expired signature), 404 (also if the content was not stored), 410 (deleted session)
 */
export async function openArtifact(
  deps: OpenDependencies,
  { access, sessionId, artifactId }: { access: Access; sessionId: string; artifactId: string },
): Promise<OpenArtifact> {
  await admitReader(deps, { access, sessionId, url: artifactUrl({ sessionId, artifactId }) });
  const row = await findArtifact(deps.db, { sessionId, id: artifactId });
  if (!row) throw artifactNotFound(artifactId);
  return await openRow(deps, row);
}

export const artifactNotFound = (artifactId: string) =>
  new Problem('not-found', { detail: `artifact ${artifactId} does not exist in this session` });

/**
 * Opens the content of an artifact that was found.
 * @throws Problem 404 if it was not stored
 */
export async function openRow(
  { contents }: Pick<OpenDependencies, 'contents'>,
  row: ArtifactRow,
): Promise<OpenArtifact> {
  const { path, omission } = row;
  const sha256 = row.sha256?.toString('hex');
  const content = sha256 && (await contents.open(sha256));
  if (!content) {
    throw new Problem('not-found', { detail: `${path} ${omission ? `was not stored: ${omission}` : 'was deleted'}` });
  }
  const mimeType = row.mimeType ?? 'application/octet-stream';
  return { path, mimeType, sha256, size: content.size, read: (range) => content.read(range) };
}
