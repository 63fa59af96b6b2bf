import { type BigIntStats, chmodSync, closeSync, constants, fstatSync, openSync } from 'node:fs';

/** O_PATH of open(2), which Node's constants lack: refers to an inode without opening it, so that no FIFO or device is touched. */
const pathOnly = 0o10000000;

/** A directory entry behind a descriptor that serves for `fstat` and for opening exactly this inode. */
export type EntryHandle = { descriptor: number; stats: BigIntStats };

/** Opens a handle on an entry of an open directory. A link is opened itself, not its target. @throws a system error with a `code` */
export function openEntryHandle(directory: number, name: string | Buffer): EntryHandle {
  const descriptor = openSync(pathIn(directory, name), pathOnly | constants.O_NOFOLLOW);
  try {
    return { descriptor, stats: fstatSync(descriptor, { bigint: true }) };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** A name in an open directory as a path. Using the path looks up only the last component. */
export function pathIn(directory: number, name: string): string;
export function pathIn(directory: number, name: string | Buffer): string | Buffer;
export function pathIn(directory: number, name: string | Buffer): string | Buffer {
  const parent = `/proc/self/fd/${directory}/`;
  return typeof name === 'string' ? parent + name : Buffer.concat([Buffer.from(parent), name]);
}

/** Opens a directory in an open directory for reading. @throws ENOTDIR or ELOOP if it has become something else */
export function openDirectory(directory: number, name: string | Buffer): number {
  return openSync(pathIn(directory, name), constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
}

/** A path that leads to exactly this inode. */
export const pathOfHandle = ({ descriptor }: Pick<EntryHandle, 'descriptor'>): string => `/proc/self/fd/${descriptor}`;

/** Opens the inode of a handle, for reading or writing. */
export const openHandle = (handle: EntryHandle, flags: number): number =>
  openSync(pathOfHandle(handle), flags | constants.O_NONBLOCK);

/** Lets its owner list and change an open directory, which code may have forbidden. Without effect if it belongs to another user. */
export function makeUsable(descriptor: number): void {
  const mode = fstatSync(descriptor).mode & 0o7777;
  if ((mode & 0o700) === 0o700) return;
  try {
    chmodSync(pathOfHandle({ descriptor }), mode | 0o700);
  } catch {
    // The operation in the directory says what is not permitted.
  }
}
