import { rmdirSync, unlinkSync } from 'node:fs';
import { Problem } from '@holdfast/specs/public';
import { pathIn } from '../paths/entry-handle.ts';
import { fileProblem } from '../paths/file-problem.ts';
import type { Workspace } from '../paths/open-workspace.ts';
import { resolvePath } from '../paths/resolve-path.ts';
import type { FileDigests } from '../read/file-digests.ts';
import { assertCondition, type FileCondition } from './file-condition.ts';
import { removeTree } from './remove-tree.ts';

/**
 * Deletes a file, a link itself, or a directory, with all that is in it where `recursive`.
 * @throws Problem `not-found`, `path-conflict` (a directory with something in it), `precondition-failed`
 */
export async function deleteFile(
  deps: { workspace: Workspace; digests: FileDigests },
  { path, recursive, condition = {} }: { path: string; recursive: boolean; condition?: FileCondition },
): Promise<void> {
  using place = resolvePath(deps.workspace, path, { follow: false });
  if (!place.name) throw new Problem('path-conflict', { detail: 'the workspace itself cannot be deleted' });
  if (!place.entry) throw new Problem('not-found', { detail: `there is no ${path}` });
  await assertCondition(deps.digests, { place, condition });
  const name = Buffer.from(place.name);
  try {
    if (!place.entry.stats.isDirectory()) unlinkSync(pathIn(place.directory, name));
    else if (recursive) await removeTree(place.directory, name);
    else rmdirSync(pathIn(place.directory, name));
  } catch (error) {
    throw fileProblem(error);
  }
}
