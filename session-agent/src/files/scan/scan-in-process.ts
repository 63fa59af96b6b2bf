import { accessSync, closeSync, constants, fstatSync, lstatSync, opendirSync, openSync } from 'node:fs';
import { uploadPrefix } from '@holdfast/specs/public';
import type { Workspace } from '../paths/open-workspace.ts';
import { directoryRecord, fileClockMs, recordOf, type Scan } from './scan-record.ts';

const depthMax = 2048;
const directoryFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Scans a small workspace synchronously; null if it has more than `entriesMax` files and directories. The process changes its working
 * directory to each directory (by descriptor) while it reads it: looking up plain names takes a third of the time of
 * `/proc/self/fd/N/name`.
 */
export function scanInProcess({ descriptor }: Pick<Workspace, 'descriptor'>, entriesMax: number): Scan | null {
  const { ctimeMs } = fstatSync(descriptor);
  const isSettled = Date.now() > ctimeMs + fileClockMs;
  const { dev: device } = fstatSync(descriptor, { bigint: true });
  const walk: Walk = { device, left: entriesMax, records: [] };
  const home = process.cwd();
  try {
    scanDirectory(walk, { descriptor, prefix: '', depth: 1 });
  } finally {
    goTo(home);
  }
  if (walk.left < 0) return null;
  const records = Buffer.from(walk.records.join(''), 'latin1');
  const isEmpty = walk.left === entriesMax && isSettled;
  return { records, count: walk.records.length, isCut: false, ...(isEmpty && { emptySince: ctimeMs }) };
}

type Walk = { device: bigint; left: number; records: string[] };
type Directory = { descriptor: number; prefix: string; depth: number };

/** Names have one character for each byte (Latin-1), so that names that are not UTF-8 stay distinct. */
function scanDirectory(walk: Walk, { descriptor, prefix, depth }: Directory): void {
  enter(descriptor);
  for (const name of namesHere(walk.left)) {
    const stats = lstatSync(pathOf(name), { bigint: true, throwIfNoEntry: false });
    if (!stats) continue;
    if (--walk.left < 0) return;
    const isDirectory = stats.isDirectory();
    const isReadable = isDirectory && canRead(name);
    const path = prefix + name;
    walk.records.push(isDirectory ? directoryRecord(path, isReadable) : recordOf(path, stats));
    if (isReadable && depth < depthMax && stats.dev === walk.device)
      scanChild(walk, { name, prefix, descriptor, depth });
    if (walk.left < 0) return;
  }
}

function scanChild(walk: Walk, { name, prefix, descriptor, depth }: Directory & { name: string }): void {
  const child = openOrNull(name);
  if (child === null) return;
  try {
    scanDirectory(walk, { descriptor: child, prefix: `${prefix}${name}/`, depth: depth + 1 });
  } catch {
    // Skips a directory that cannot be read.
  } finally {
    closeSync(child);
    enter(descriptor);
  }
}

/** The names in the working directory, sorted; at most one more than `max`. */
function namesHere(max: number): string[] {
  const names: string[] = [];
  const entries = opendirSync('.', { encoding: 'latin1', bufferSize: 256 });
  try {
    for (let entry = entries.readSync(); entry && names.length <= max; entry = entries.readSync()) {
      if (!entry.name.startsWith(uploadPrefix)) names.push(entry.name);
    }
  } finally {
    entries.closeSync();
  }
  return names.sort();
}

const pathOf = (name: string): string | Buffer => (isAscii(name) ? name : Buffer.from(name, 'latin1'));
const isAscii = (name: string): boolean => /^[\0-\x7f]*$/.test(name);

function openOrNull(name: string): number | null {
  try {
    return openSync(pathOf(name), directoryFlags);
  } catch {
    return null;
  }
}

/** Whether a directory in the working directory can be listed, and the entries in it looked up. */
function canRead(name: string): boolean {
  try {
    accessSync(pathOf(name), constants.R_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const enter = (descriptor: number): void => process.chdir(`/proc/self/fd/${descriptor}`);

/** Goes to `/` if the folder is gone. */
function goTo(folder: string): void {
  try {
    process.chdir(folder);
  } catch {
    process.chdir('/');
  }
}
