import { renameSync } from 'node:fs';
import { type MoveFile, Problem } from '@holdfast/specs/public';
import { pathIn } from '../paths/entry-handle.ts';
import { fileProblem } from '../paths/file-problem.ts';
import type { Workspace } from '../paths/open-workspace.ts';
import { resolvePath } from '../paths/resolve-path.ts';

/**
 * Moves a file, a link (not its target) or a directory. Creates missing directories above the new path.
 * @param isLinkless whether a link on the new path is refused
 * @throws Problem `not-found`, `path-conflict` (a file is there and may not be replaced, or a directory that is not empty)
 */
export function moveFile(workspace: Workspace, { from, to, overwrite }: MoveFile, { isLinkless = false } = {}): void {
  using source = resolvePath(workspace, from, { follow: false });
  if (!source.entry) throw new Problem('not-found', { detail: `${from} does not exist` });
  if (!source.name) throw new Problem('path-conflict', { detail: 'the workspace itself cannot be moved' });
  assertFree(workspace, { to, overwrite, isLinkless });
  using target = resolvePath(workspace, to, { follow: false, create: true, isLinkless });
  try {
    renameSync(pathIn(source.directory, source.name), pathIn(target.directory, target.name));
  } catch (error) {
    throw fileProblem(error);
  }
}

/** Called before any directory is created. */
function assertFree(
  workspace: Workspace,
  { to, overwrite, isLinkless }: { to: string; overwrite: boolean; isLinkless: boolean },
): void {
  using target = resolvePath(workspace, to, { follow: false, isLinkless });
  if (!target.name) throw new Problem('path-conflict', { detail: 'the workspace itself cannot be replaced' });
  if (target.entry && !overwrite) throw new Problem('path-conflict', { detail: `${to} already exists` });
}
