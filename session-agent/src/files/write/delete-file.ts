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
 * Deletes a file, a link (not its target) or a directory; with `recursive`, also a directory that is not empty.
 * @throws Problem `not-found`, `path-conflict` (a directory that is not empty), `precondition-failed`
 */
export async function deleteFile(
  deps: { workspace: Workspace; digests: FileDigests },
  { path, recursive, condition = {}, exact = false }: DeleteInput,
): Promise<void> {
  using target = resolvePath(deps.workspace, path, { follow: false, exact });
  if (!target.name) throw new Problem('path-conflict', { detail: 'the workspace itself cannot be deleted' });
  if (!target.entry) throw new Problem('not-found', { detail: `${path} does not exist` });
  await assertCondition(deps.digests, { target, condition });
  const name = Buffer.from(target.name);
  try {
    if (!target.entry.stats.isDirectory()) unlinkSync(pathIn(target.directory, name));
    else if (recursive) await removeTree(target.directory, name);
    else rmdirSync(pathIn(target.directory, name));
  } catch (error) {
    throw fileProblem(error);
  }
}

type DeleteInput = {
  path: string;
  recursive: boolean;
  condition?: FileCondition;
  /** Restores a state of the world, which has nothing there. */
  exact?: boolean;
};
