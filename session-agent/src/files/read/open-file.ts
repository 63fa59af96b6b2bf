import { type BigIntStats, closeSync, constants } from 'node:fs';
import { Problem } from '@holdfast/specs/public';
import { reopen } from '../paths/entry-handle.ts';
import { fileProblem } from '../paths/file-problem.ts';
import type { Workspace } from '../paths/open-workspace.ts';
import { type ResolvedPath, resolvePath } from '../paths/resolve-path.ts';

/** A regular file that is open for reading, until it is disposed of. */
export type OpenFile = { descriptor: number; stats: BigIntStats; [Symbol.dispose]: () => void };

/** @throws Problem `not-found`, `outside-workspace`, `path-conflict` where it is no regular file */
export function openFile(workspace: Workspace, path: string): OpenFile {
  using place = resolvePath(workspace, path, { follow: true });
  return openEntry(place);
}

/** Opens what was found, if it is a regular file. */
export function openEntry({ entry }: Pick<ResolvedPath, 'entry'>): OpenFile {
  if (!entry) throw new Problem('not-found', { detail: 'there is no such file' });
  if (entry.stats.isDirectory()) throw new Problem('path-conflict', { detail: 'it is a directory' });
  if (!entry.stats.isFile()) throw new Problem('path-conflict', { detail: 'it is no regular file' });
  try {
    const descriptor = reopen(entry, constants.O_RDONLY);
    return { descriptor, stats: entry.stats, [Symbol.dispose]: () => closeSync(descriptor) };
  } catch (error) {
    throw fileProblem(error);
  }
}
