import { mkdirSync } from 'node:fs';
import { Problem } from '@holdfast/specs/public';
import { pathIn } from '../paths/entry-handle.ts';
import { fileProblem } from '../paths/file-problem.ts';
import type { Workspace } from '../paths/open-workspace.ts';
import { resolvePath } from '../paths/resolve-path.ts';

/**
 * Creates a directory and the missing ones above it; accepts one that exists.
 * @param isLinkless whether a link on the path is refused
 * @throws Problem `path-conflict`, `workspace-full`
 */
export function makeDirectory(
  workspace: Workspace,
  path: string,
  { exact = false, isLinkless = false } = {},
): { isNew: boolean } {
  using target = resolvePath(workspace, path, { follow: !exact, create: true, exact, isLinkless });
  if (target.entry?.stats.isDirectory()) return { isNew: false };
  if (target.entry) throw new Problem('path-conflict', { detail: 'a file exists at the path of a directory' });
  try {
    mkdirSync(pathIn(target.directory, target.name));
    return { isNew: true };
  } catch (error) {
    throw fileProblem(error);
  }
}
