import { closeSync, constants } from 'node:fs';
import { fileProblem } from './file-problem.ts';
import { type Held, reopen } from './held.ts';

/** Opens a directory that was found, for reading its entries, until it is disposed of. @throws Problem `path-conflict` */
export function openPlaceDirectory(entry: Held): { descriptor: number; [Symbol.dispose]: () => void } {
  try {
    const descriptor = reopen(entry, constants.O_RDONLY | constants.O_DIRECTORY);
    return { descriptor, [Symbol.dispose]: () => closeSync(descriptor) };
  } catch (error) {
    throw fileProblem(error);
  }
}
