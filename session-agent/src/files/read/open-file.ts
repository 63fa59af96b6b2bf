import { type BigIntStats, closeSync, constants } from 'node:fs';
import { Problem } from '@holdfast/specs/public';
import { type EntryHandle, openHandle } from '../paths/entry-handle.ts';
import { fileProblem } from '../paths/file-problem.ts';
import type { Workspace } from '../paths/open-workspace.ts';
import { type ResolvedPath, resolvePath } from '../paths/resolve-path.ts';

/** A regular file, open for reading until it is disposed of. */
export type OpenFile = { descriptor: number; stats: BigIntStats; [Symbol.dispose]: () => void };

/** Opens a regular file. @throws Problem `not-found`, `outside-workspace`, or `path-conflict` if it is not a regular file */
export function openFile(workspace: Workspace, path: string): OpenFile {
  using resolved = resolvePath(workspace, path, { follow: true });
  return openResolved(resolved);
}

/** As `openFile`, for a path that is already resolved. */
export function openResolved({ entry }: Pick<ResolvedPath, 'entry'>): OpenFile {
  if (!entry) throw new Problem('not-found', { detail: 'this file does not exist' });
  if (entry.stats.isDirectory()) throw new Problem('path-conflict', { detail: 'it is a directory' });
  if (!entry.stats.isFile()) throw new Problem('path-conflict', { detail: 'it is not a regular file' });
  try {
    const descriptor = openHandle(entry, constants.O_RDONLY);
    return { descriptor, stats: entry.stats, [Symbol.dispose]: () => closeSync(descriptor) };
  } catch (error) {
    throw fileProblem(error);
  }
}

/** Opens a directory for reading its entries, until it is disposed of. @throws Problem `path-conflict` */
export function openDirectoryEntry(entry: EntryHandle): { descriptor: number; [Symbol.dispose]: () => void } {
  try {
    const descriptor = openHandle(entry, constants.O_RDONLY | constants.O_DIRECTORY);
    return { descriptor, [Symbol.dispose]: () => closeSync(descriptor) };
  } catch (error) {
    throw fileProblem(error);
  }
}

/** Changes when the file is replaced or written, as far as the clock of the file system is fine enough. */
export function fileIdentity({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}
