import { matchesEtag, Problem } from '@holdfast/specs/public';
import type { ResolvedPath } from '../paths/resolve-path.ts';
import type { FileDigests } from '../read/file-digests.ts';
import { openEntry } from '../read/open-file.ts';

/** `If-Match` and `If-None-Match` (RFC 9110, 13.1): lists of ETags, or `*` for any. */
export type FileCondition = { ifMatch?: string | undefined; ifNoneMatch?: string | undefined };

/** A file's ETag, which is strong. */
export const etagOf = (sha256: string): string => `"${sha256}"`;

/** @throws Problem `precondition-failed` where what lies there now is not what a writer expects */
export async function assertCondition(
  digests: FileDigests,
  { place, condition }: { place: ResolvedPath; condition: FileCondition },
): Promise<void> {
  const { ifMatch, ifNoneMatch } = condition;
  if (ifMatch === undefined && ifNoneMatch === undefined) return;
  const etag = await currentEtag(digests, place);
  if (ifMatch !== undefined && !matchesEtag(ifMatch, { etag, weak: false })) {
    throw new Problem('precondition-failed', { detail: etag ? `the file's ETag is ${etag}` : 'there is no file' });
  }
  if (ifNoneMatch !== undefined && matchesEtag(ifNoneMatch, { etag, weak: true })) {
    throw new Problem('precondition-failed', { detail: 'there is such a file already' });
  }
}

async function currentEtag(digests: FileDigests, place: ResolvedPath): Promise<string | null> {
  if (!place.entry) return null;
  using file = openEntry(place);
  return etagOf(await digests.of(file));
}
