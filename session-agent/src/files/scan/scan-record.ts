import type { BigIntStats } from 'node:fs';

/**
 * A scan in one piece of memory: a record `version path\0` for each entry, in the order of the walk. The version is the output of find for
 * `%y%s:%C@:%i`: kind, size, time of change in seconds, inode; then `:x` if its owner may execute it. Every modification moves the time of
 * change (ctime) forward, and code cannot set it. That of a directory is always `d`, since the entries in it have records of their own.
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

const directoryVersion = 'd';
const executableMark = ':x';

/** For `find -printf`. */
export const findFormats = {
  directory: `${directoryVersion} %P\\0`,
  executable: `%y%s:%C@:%i${executableMark} %P\\0`,
  other: '%y%s:%C@:%i %P\\0',
};

export const recordOf = (path: string, stats: BigIntStats): string => `${versionOf(stats)} ${path}\0`;
export const directoryRecord = (path: string): string => `${directoryVersion} ${path}\0`;

/** The current version of an entry that is not a directory, in the same form as in a scan. */
export function versionOf(stats: BigIntStats): string {
  const { size, ctimeNs, ino, mode } = stats;
  return `${kindOf(stats)}${size}:${seconds(ctimeNs)}:${ino}${Number(mode) & 0o100 ? executableMark : ''}`;
}

/** Whether a version is that of a directory. */
export const isDirectory = (version: string | null): boolean => version === directoryVersion;

/** Whether a version is that of a regular file. */
export const isFile = (version: string): boolean => version.startsWith('f');

/** The size in a version, in bytes. */
export const sizeIn = (version: string): number => Number(version.slice(1, version.indexOf(':')));

/** Whether the owner of a file may execute it, by its version. */
export const isExecutable = (version: string): boolean => version.endsWith(executableMark);

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
