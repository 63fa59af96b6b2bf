import { renameSync } from 'node:fs';
import { type MoveFile, Problem } from '@holdfast/specs/public';
import { pathIn } from '../paths/entry-handle.ts';
import { fileProblem } from '../paths/file-problem.ts';
import type { Workspace } from '../paths/open-workspace.ts';
import { resolvePath } from '../paths/resolve-path.ts';

/**
 * Moves a file, a link itself or a directory; directories on the way are made.
 * @throws Problem `not-found`, `path-conflict` (something is there and is not to be replaced, or is a directory with something in it)
 */
export function moveFile(workspace: Workspace, { from, to, overwrite }: MoveFile): void {
  using source = resolvePath(workspace, from, { follow: false });
  if (!source.entry) throw new Problem('not-found', { detail: `there is no ${from}` });
  if (!source.name) throw new Problem('path-conflict', { detail: 'the workspace itself cannot be moved' });
  assertFree(workspace, { to, overwrite });
  using target = resolvePath(workspace, to, { follow: false, make: true });
  try {
    renameSync(pathIn(source.directory, source.name), pathIn(target.directory, target.name));
  } catch (error) {
    throw fileProblem(error);
  }
}

/** Before any directory is made. */
function assertFree(workspace: Workspace, { to, overwrite }: { to: string; overwrite: boolean }): void {
  using target = resolvePath(workspace, to, { follow: false });
  if (!target.name) throw new Problem('path-conflict', { detail: 'the workspace itself cannot be replaced' });
  if (target.entry && !overwrite) throw new Problem('path-conflict', { detail: `there is a ${to} already` });
}
