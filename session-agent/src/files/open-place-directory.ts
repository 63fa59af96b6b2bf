import { closeSync, constants } from 'node:fs';
import { type EntryHandle, reopen } from './paths/entry-handle.ts';
import { fileProblem } from './paths/file-problem.ts';

/** Opens a directory that was found, for reading its entries, until it is disposed of. @throws Problem `path-conflict` */
export function openDirectoryEntry(entry: EntryHandle): { descriptor: number; [Symbol.dispose]: () => void } {
  try {
    const descriptor = reopen(entry, constants.O_RDONLY | constants.O_DIRECTORY);
    return { descriptor, [Symbol.dispose]: () => closeSync(descriptor) };
  } catch (error) {
    throw fileProblem(error);
  }
}
