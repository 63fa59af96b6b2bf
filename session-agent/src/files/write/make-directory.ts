import { mkdirSync } from 'node:fs';
import { Problem } from '@holdfast/specs/public';
import { pathIn } from '../paths/entry-handle.ts';
import { fileProblem } from '../paths/file-problem.ts';
import type { Workspace } from '../paths/open-workspace.ts';
import { resolvePath } from '../paths/resolve-path.ts';

/** Makes a directory and those on the way to it; one that is there is no error. @throws Problem `path-conflict`, `workspace-full` */
export function makeDirectory(workspace: Workspace, path: string): { isNew: boolean } {
  using place = resolvePath(workspace, path, { follow: true, make: true });
  if (place.entry?.stats.isDirectory()) return { isNew: false };
  if (place.entry) throw new Problem('path-conflict', { detail: 'there is something that is no directory' });
  try {
    mkdirSync(pathIn(place.directory, place.name));
    return { isNew: true };
  } catch (error) {
    throw fileProblem(error);
  }
}
