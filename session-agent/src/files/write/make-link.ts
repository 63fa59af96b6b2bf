import { createHash } from 'node:crypto';
import { renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { isLinkTarget, Problem, type WrittenFile } from '@holdfast/specs/public';
import { pathIn } from '../paths/entry-handle.ts';
import { fileProblem } from '../paths/file-problem.ts';
import type { Workspace } from '../paths/open-workspace.ts';
import { resolvePath } from '../paths/resolve-path.ts';
import { stagedName } from './stage-file.ts';
import { assertReplaceable } from './write-file.ts';

/**
 * Restores a link of the world, in one move, in place of whatever but a directory is at exactly this path. Its target is text and never looked up.
 * @throws Problem `path-conflict`, `invalid-request` (a target that no link can have), `workspace-full`
 */
export function makeLink(
  workspace: Workspace,
  { path, target }: { path: string; target: string },
): WrittenFile & { isNew: boolean } {
  if (!isLinkTarget(target)) throw new Problem('invalid-request', { detail: 'no link can have this target' });
  using place = resolvePath(workspace, path, { follow: false, create: true, exact: true });
  assertReplaceable(place, { exact: true });
  const staged = pathIn(place.directory, stagedName());
  try {
    symlinkSync(target, staged);
    try {
      renameSync(staged, pathIn(place.directory, place.name));
    } catch (error) {
      unlinkSync(staged);
      throw error;
    }
  } catch (error) {
    throw fileProblem(error);
  }
  const bytes = Buffer.from(target);
  return {
    path,
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    isNew: place.entry === null,
  };
}
