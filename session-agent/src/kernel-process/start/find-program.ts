import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/**
 * Finds a program in the folders of a PATH and returns its absolute path.
 * @throws Error with a message for the user if the program is not installed
 */
export function findProgram(path: string, name: string): string {
  for (const folder of path.split(':')) {
    if (!folder.startsWith('/')) continue;
    const file = join(folder, name);
    if (isExecutable(file)) return file;
  }
  throw new Error(`The interpreter ${name} is not installed.`);
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
