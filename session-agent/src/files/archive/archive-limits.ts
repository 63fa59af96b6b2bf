/** The limits of an archive; an archive that exceeds one is rejected as a whole. */
export const archiveLimits = {
  entriesMax: 100_000,
  /** The number of names in a path. */
  depthMax: 64,
  /** Unpacked bytes for each byte of the archive, beyond the first 64 MiB. Deflate reaches 1,032. */
  ratioMax: 200,
} as const;

const freeBytes = 64 * 1024 * 1024;

/** The limit of unpacked bytes for an archive of this size. Pure. */
export const unpackedBytesMax = (archiveBytes: number): number => freeBytes + archiveBytes * archiveLimits.ratioMax;
