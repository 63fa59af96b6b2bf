import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Problem } from '@holdfast/specs/public';

/**
 * The directory in which a process starts. It may be anywhere in the sandbox, since the process could go anywhere by itself.
 * @throws Problem `invalid-request` if it is not a directory
 */
export function processCwd(workspace: string, cwd = '.'): string {
  const path = resolve(workspace, cwd);
  if (isDirectory(path)) return path;
  const detail = `${JSON.stringify(cwd)} is not a directory`;
  throw new Problem('invalid-request', { detail: '1 fault', errors: [{ pointer: '/cwd', detail }] });
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
