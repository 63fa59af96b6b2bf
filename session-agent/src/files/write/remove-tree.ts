import { closeSync, rmdirSync, unlinkSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { Problem } from '@holdfast/specs/public';
import { makeUsable, openDirectory, openEntryHandle, pathIn } from '../paths/entry-handle.ts';
import { isMissing, systemCode } from '../paths/file-problem.ts';
import { readNames } from '../read/read-names.ts';

const depthMax = 256;
const namesAtOnce = 256;

/**
 * Deletes a directory in an open directory with everything in it, also what its owner may not read or change. Deletes links, not their targets.
 */
export async function removeTree(directory: number, name: Buffer): Promise<void> {
  await empty({ directory, name, depth: 0 });
  rmdirSync(pathIn(directory, name));
}

type Child = { directory: number; name: Buffer; depth: number };

/** Empties a directory, a few names at a time, so that other work can run in between. */
async function empty({ directory, name, depth }: Child): Promise<void> {
  if (depth > depthMax) throw new Problem('path-conflict', { detail: 'directories are nested too deeply' });
  const handle = openEntryHandle(directory, name);
  try {
    if (handle.stats.isDirectory()) makeUsable(handle.descriptor);
  } finally {
    closeSync(handle.descriptor);
  }
  const descriptor = openDirectory(directory, name);
  try {
    for (
      let left = readNames(descriptor, namesAtOnce);
      left.names.length > 0;
      left = readNames(descriptor, namesAtOnce)
    ) {
      for (const child of left.names) await remove({ directory: descriptor, name: child, depth: depth + 1 });
      await setImmediate();
    }
  } finally {
    closeSync(descriptor);
  }
}

async function remove(child: Child): Promise<void> {
  const path = pathIn(child.directory, child.name);
  try {
    return unlinkSync(path);
  } catch (error) {
    if (isMissing(error)) return;
    // Linux says EISDIR, POSIX says EPERM.
    if (systemCode(error) !== 'EISDIR' && systemCode(error) !== 'EPERM') throw error;
  }
  await empty(child);
  rmdirSync(path);
}
