import type { BigIntStats } from 'node:fs';

/**
 * A scan in one piece of memory: a record `version path\0` for each entry that is not a directory, in the order of the walk. The version is
 * the output of find for `%y%s:%C@:%i`: kind, size, time of change in seconds, inode. Every modification moves the time of change (ctime)
 * forward, and code cannot set it.
 */
export type Scan = {
  records: Buffer;
  count: number;
  /** There are more entries than the limit. */
  isCut: boolean;
  /**
   * Only for an empty workspace: the time of change of its directory, in ms. It is set once a later change must get a time that differs by
   * milliseconds, so that an equal time proves that the workspace is still empty.
   */
  emptySince?: number;
};

/** Longer than the period of the clock for file timestamps, which is 10 ms if the system's kernel runs at 100 Hz. */
export const fileClockMs = 12;

/** For `find -printf`. */
export const findFormat = '%y%s:%C@:%i %P\\0';

export const recordOf = (path: string, stats: BigIntStats): string => `${versionOf(stats)} ${path}\0`;

/** The current version of an entry, in the same form as in a scan. */
export function versionOf(stats: BigIntStats): string {
  const { size, ctimeNs, ino } = stats;
  return `${kindOf(stats)}${size}:${seconds(ctimeNs)}:${ino}`;
}

/** Whether a version is that of a regular file. */
export const isFile = (version: string): boolean => version.startsWith('f');

/** The size in a version, in bytes. */
export const sizeIn = (version: string): number => Number(version.slice(1, version.indexOf(':')));

function kindOf(stats: BigIntStats): string {
  if (stats.isFile()) return 'f';
  if (stats.isSymbolicLink()) return 'l';
  if (stats.isFIFO()) return 'p';
  if (stats.isSocket()) return 's';
  return stats.isCharacterDevice() ? 'c' : 'b';
}

/** find prints ten digits after the point; nanoseconds need nine. */
function seconds(ns: bigint): string {
  const digits = String(ns).padStart(10, '0');
  return `${digits.slice(0, -9)}.${digits.slice(-9)}0`;
}
