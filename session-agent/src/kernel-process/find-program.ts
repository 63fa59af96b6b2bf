import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/**
 * The absolute path of a program in one of the folders of a PATH.
 * @throws Error in a user's words where there is none.
 */
export function findProgram(path: string, name: string): string {
  for (const folder of path.split(':')) {
    if (!folder.startsWith('/')) continue;
    const file = join(folder, name);
    if (isExecutable(file)) return file;
  }
  throw new Error(`The interpreter ${name} is not installed.`);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
