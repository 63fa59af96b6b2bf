import { matchesEtag, Problem } from '@holdfast/specs/public';
import type { ResolvedPath } from '../paths/resolve-path.ts';
import type { FileDigests } from '../read/file-digests.ts';
import { openResolved } from '../read/open-file.ts';

/** `If-Match` and `If-None-Match` (RFC 9110, 13.1): lists of ETags, or `*` for any. */
export type FileCondition = { ifMatch?: string | undefined; ifNoneMatch?: string | undefined };

/** A file's ETag, which is strong. */
export const etagOf = (sha256: string): string => `"${sha256}"`;

/** Checks the conditions against the file that is there now. @throws Problem `precondition-failed` if it is not the one a writer expects */
export async function assertCondition(
  digests: FileDigests,
  { target, condition }: { target: ResolvedPath; condition: FileCondition },
): Promise<void> {
  const { ifMatch, ifNoneMatch } = condition;
  if (ifMatch === undefined && ifNoneMatch === undefined) return;
  const etag = await currentEtag(digests, target);
  if (ifMatch !== undefined && !matchesEtag(ifMatch, { etag, weak: false })) {
    throw new Problem('precondition-failed', { detail: etag ? `the file's ETag is ${etag}` : 'there is no file' });
  }
  if (ifNoneMatch !== undefined && matchesEtag(ifNoneMatch, { etag, weak: true })) {
    throw new Problem('precondition-failed', { detail: `a file with the ETag ${etag} already exists` });
  }
}

async function currentEtag(digests: FileDigests, target: ResolvedPath): Promise<string | null> {
  if (!target.entry) return null;
  using file = openResolved(target);
  return etagOf(await digests.of(file));
}
