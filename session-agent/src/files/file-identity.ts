import type { BigIntStats } from 'node:fs';

/** Changes whenever the file is replaced or written to, as far as the clock of the file system is fine enough. */
export function fileIdentity({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}
