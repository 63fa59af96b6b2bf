import { Problem } from '@holdfast/specs/public';
import type { Contents } from '../contents/contents.ts';
import { findArtifact } from '../registry/artifacts/find-artifact.ts';
import type { ArtifactRow } from '../registry/schema/artifacts.ts';
import { type Access, admitReader, type ReaderDependencies } from './admit-reader.ts';
import { artifactUrl } from './artifact-url.ts';

export type OpenDependencies = ReaderDependencies & { contents: Pick<Contents, 'open'> };

/** A content as it was kept; `path` is relative to the workspace, `read` gives the bytes from `start` to before `end`. */
export type OpenArtifact = {
  path: string;
  mimeType: string;
  sha256: string;
  size: number;
  read(range: { start: number; end: number }): AsyncIterable<Uint8Array>;
};

/**
 * What a step left in a file, also after the sandbox is gone. Throws Problem 403 (a signature that is none or has expired), 404 (also
 * where the content was not kept), 410 (deleted session).
 */
export async function openArtifact(
  deps: OpenDependencies,
  { access, sessionId, artifactId }: { access: Access; sessionId: string; artifactId: string },
): Promise<OpenArtifact> {
  await admitReader(deps, { access, sessionId, url: artifactUrl({ sessionId, artifactId }) });
  const row = await findArtifact(deps.db, { sessionId, id: artifactId });
  if (!row) throw new Problem('not-found', { detail: `there is no artifact ${artifactId}` });
  return await openRow(deps, row);
}

/** The content of an artifact that was found. Throws Problem 404 where it was not kept. */
export async function openRow(
  { contents }: Pick<OpenDependencies, 'contents'>,
  row: ArtifactRow,
): Promise<OpenArtifact> {
  const { path, omission } = row;
  const sha256 = row.sha256?.toString('hex');
  const content = sha256 && (await contents.open(sha256));
  if (!content) {
    throw new Problem('not-found', { detail: `${path} ${omission ? `was not kept: ${omission}` : 'was deleted'}` });
  }
  const mimeType = row.mimeType ?? 'application/octet-stream';
  return { path, mimeType, sha256, size: content.size, read: (range) => content.read(range) };
}
