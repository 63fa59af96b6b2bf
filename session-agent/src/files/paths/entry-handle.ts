import { type BigIntStats, closeSync, constants, fstatSync, openSync } from 'node:fs';

/** Names an inode without opening what is behind it, so that no FIFO or device is touched; open(2), and not in Node's constants. */
const pathOnly = 0o10000000;

/** An entry of a directory, held by a descriptor that is good for `fstat` and for opening exactly this inode. */
export type EntryHandle = { descriptor: number; stats: BigIntStats };

/** Holds what this name of a held directory is now, itself and not what it may link to. @throws with a system error's `code` */
export function holdEntry(directory: number, name: string | Buffer): EntryHandle {
  const descriptor = openSync(pathIn(directory, name), pathOnly | constants.O_NOFOLLOW);
  try {
    return { descriptor, stats: fstatSync(descriptor, { bigint: true }) };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** A name in a held directory as a path. The last component alone is looked up when it is used. */
export function pathIn(directory: number, name: string): string;
export function pathIn(directory: number, name: string | Buffer): string | Buffer;
export function pathIn(directory: number, name: string | Buffer): string | Buffer {
  const parent = `/proc/self/fd/${directory}/`;
  return typeof name === 'string' ? parent + name : Buffer.concat([Buffer.from(parent), name]);
}

/** Opens a directory of a held directory for reading. @throws ENOTDIR or ELOOP where it has become something else */
export function openDirectory(directory: number, name: string | Buffer): number {
  return openSync(pathIn(directory, name), constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
}

/** Leads to the very inode that is held. */
export const pathOf = ({ descriptor }: EntryHandle): string => `/proc/self/fd/${descriptor}`;

export const reopen = (held: EntryHandle, flags: number): number =>
  openSync(pathOf(held), flags | constants.O_NONBLOCK);
