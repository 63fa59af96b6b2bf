import type { BigIntStats } from 'node:fs';

/**
 * A scan in one piece of memory: a record for each entry that is no directory, in the order of the walk, each `identity path\0`. The
 * identity is what find prints for `%y%s:%C@:%i`: kind, size, time of change in seconds, inode. The time of change moves on with that of
 * modification, and code cannot set it.
 */
export type Scan = {
  records: Buffer;
  count: number;
  /** There is more than the limit. */
  isCut: boolean;
  /** Where there is nothing at all: when the workspace's own directory changed last, in ns, if a change from then on has another time. */
  emptySince?: bigint;
};

/** For `find -printf`. */
export const findFormat = '%y%s:%C@:%i %P\\0';

export const recordOf = (path: string, stats: BigIntStats): string => `${versionOf(stats)} ${path}\0`;

/** An entry as it is now, in the words of a scan. */
export function versionOf(stats: BigIntStats): string {
  const { size, ctimeNs, ino } = stats;
  return `${kindOf(stats)}${size}:${seconds(ctimeNs)}:${ino}`;
}

/** Whether an identity is that of a regular file. */
export const isFile = (identity: string): boolean => identity.startsWith('f');

/** The size in an identity, in bytes. */
export const sizeIn = (identity: string): number => Number(identity.slice(1, identity.indexOf(':')));

function kindOf(stats: BigIntStats): string {
  if (stats.isFile()) return 'f';
  if (stats.isSymbolicLink()) return 'l';
  if (stats.isFIFO()) return 'p';
  if (stats.isSocket()) return 's';
  return stats.isCharacterDevice() ? 'c' : 'b';
}

/** find has ten digits after the point, of which a nanosecond needs nine. */
function seconds(ns: bigint): string {
  const digits = String(ns).padStart(10, '0');
  return `${digits.slice(0, -9)}.${digits.slice(-9)}0`;
}
