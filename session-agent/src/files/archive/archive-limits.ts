/** What an archive may bring; what goes beyond is refused as a whole. */
export const archiveLimits = {
  entriesMax: 100_000,
  /** Names in a path. */
  depthMax: 64,
  /** Unpacked bytes for each byte of the archive, beyond the first 64 MiB. Deflate gets to 1,032. */
  ratioMax: 200,
} as const;

const freeBytes = 64 * 1024 * 1024;

/** How many bytes an archive of this size may become. Pure. */
export const unpackedBytesMax = (archiveBytes: number): number => freeBytes + archiveBytes * archiveLimits.ratioMax;
