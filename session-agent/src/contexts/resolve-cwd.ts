import { realpathSync, statSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { Problem } from '@holdfast/specs/public';

/**
 * Resolves the working directory of a context. `cwd` is relative to the workspace.
 * @throws Problem `invalid-request` if it is not a directory or, with links followed, is outside the workspace
 */
export function resolveCwd(workspace: string, cwd: string): { cwd: string; absoluteCwd: string } {
  const root = realpathSync(workspace);
  const absoluteCwd = realDirectory(resolve(root, cwd));
  if (absoluteCwd === null) throw fault(`${JSON.stringify(cwd)} is not a directory`);
  if (absoluteCwd !== root && !absoluteCwd.startsWith(`${root}${sep}`)) {
    throw fault(`${JSON.stringify(cwd)} is outside the workspace`);
  }
  return { cwd: relative(root, absoluteCwd) || '.', absoluteCwd };
}

function realDirectory(path: string): string | null {
  try {
    const real = realpathSync(path);
    return statSync(real).isDirectory() ? real : null;
  } catch {
    return null;
  }
}

function fault(detail: string): Problem {
  return new Problem('invalid-request', { detail: '1 fault', errors: [{ pointer: '/cwd', detail }] });
}
