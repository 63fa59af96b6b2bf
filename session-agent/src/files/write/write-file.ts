import { Problem, type WrittenFile } from '@holdfast/specs/public';
import { fileProblem } from '../paths/file-problem.ts';
import type { Workspace } from '../paths/open-workspace.ts';
import { type ResolvedPath, resolvePath } from '../paths/resolve-path.ts';
import type { FileDigests } from '../read/file-digests.ts';
import { versionOf } from '../scan/scan-record.ts';
import { assertCondition, type FileCondition } from './file-condition.ts';
import type { PathLocks } from './path-locks.ts';
import { type StagedFile, stageFile } from './stage-file.ts';

export type WriteFileInput = {
  path: string;
  body: AsyncIterable<Uint8Array>;
  bytesMax: number;
  condition?: FileCondition;
  /** What the body's digest has to be, in hexadecimal digits. */
  sha256?: string | undefined;
};

/**
 * Writes a file, which has its new content at once or not at all; directories on the way are made.
 *
 * @throws Problem `body-too-large`, `digest-mismatch`, `precondition-failed`, `workspace-full`, `path-conflict` (a directory is there), and
 * what `resolvePath` throws
 */
export async function writeFile(
  deps: { workspace: Workspace; digests: FileDigests; locks: PathLocks },
  { path, body, bytesMax, condition = {}, sha256 }: WriteFileInput,
): Promise<WrittenFile & { isNew: boolean }> {
  using target = resolvePath(deps.workspace, path, { follow: true });
  assertReplaceable(target);
  using staged = await stageFile(target.directory, { body, bytesMax });
  if (sha256 !== undefined && sha256 !== staged.sha256) {
    throw new Problem('digest-mismatch', { detail: `the body's sha256 is ${staged.sha256}` });
  }
  return await deps.locks.run(target, async () => {
    using now = resolvePath(deps.workspace, path, { follow: true });
    await assertCondition(deps.digests, { place: now, condition });
    const { isNew } = putInPlace(deps.workspace, { path, staged });
    return { path, size: staged.size, sha256: staged.sha256, isNew };
  });
}

/** Gives a staged file its name; `version` is its identity there. What lies there is looked at again, since its content took a while to come. */
export function putInPlace(
  workspace: Workspace,
  { path, staged }: { path: string; staged: Pick<StagedFile, 'moveTo'> },
): { isNew: boolean; version: string } {
  using place = resolvePath(workspace, path, { follow: true, make: true });
  assertReplaceable(place);
  try {
    const version = versionOf(staged.moveTo(place));
    return { isNew: place.entry === null, version };
  } catch (error) {
    throw fileProblem(error);
  }
}

/** @throws Problem `path-conflict` where there is something that is no regular file */
export function assertReplaceable({ entry }: Pick<ResolvedPath, 'entry'>): void {
  if (!entry || entry.stats.isFile()) return;
  const detail = entry.stats.isDirectory() ? 'there is a directory' : 'there is something that is no regular file';
  throw new Problem('path-conflict', { detail });
}
