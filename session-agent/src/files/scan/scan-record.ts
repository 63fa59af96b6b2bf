import type { BigIntStats } from 'node:fs';

/**
 * A scan in one piece of memory: a record `version path\0` for each entry, in the order of the walk. The version is the output of find for
 * `%y%s:%C@:%i:%m`: kind, size, time of change in seconds, inode, mode. Every modification moves the time of change (ctime) forward, and
 * code cannot set it. That of a directory is always `d`, since the entries in it have records of their own, or `d!` if it cannot be read.
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
const unreadableVersion = 'd!';

/** For `find -printf`. */
export const findFormats = {
  directory: `${directoryVersion} %P\\0`,
  unreadable: `${unreadableVersion} %P\\0`,
  other: '%y%s:%C@:%i:%m %P\\0',
};

export const recordOf = (path: string, stats: BigIntStats): string => `${versionOf(stats)} ${path}\0`;
export const directoryRecord = (path: string, isReadable: boolean): string =>
  `${isReadable ? directoryVersion : unreadableVersion} ${path}\0`;

/** The current version of an entry that is not a directory, in the same form as in a scan. */
export function versionOf(stats: BigIntStats): string {
  const { size, ctimeNs, ino, mode } = stats;
  return `${kindOf(stats)}${size}:${seconds(ctimeNs)}:${ino}:${(Number(mode) & 0o7777).toString(8)}`;
}

/** Whether a version is that of a directory. */
export const isDirectory = (version: string | null): boolean =>
  version === directoryVersion || version === unreadableVersion;

/** Whether a version is that of a directory whose entries are not known. */
export const isUnreadable = (version: string): boolean => version === unreadableVersion;

/** Whether a version is that of a regular file. */
export const isFile = (version: string): boolean => version.startsWith('f');

/** The size in a version, in bytes. */
export const sizeIn = (version: string): number => Number(version.slice(1, version.indexOf(':')));

/** Whether a version is that of a link. */
export const isLink = (version: string): boolean => version.startsWith('l');

/** The permissions of a file by its version, without set-user-id, set-group-id and sticky. */
export function permissionsIn(version: string): { mode: string; executable: boolean } {
  const bits = Number.parseInt(version.slice(version.lastIndexOf(':') + 1), 8) & 0o777;
  return { mode: bits.toString(8).padStart(4, '0'), executable: (bits & 0o100) !== 0 };
}

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
