import { createHash } from 'node:crypto';
import { fstatSync } from 'node:fs';
import type { OpenFile } from './open-file.ts';
import { fileIdentity } from './open-file.ts';
import { readFile } from './read-file.ts';

const rememberedMax = 2000;
/** Timestamps of files have a resolution of some milliseconds: a younger file can change again and keep its timestamp. */
const settledMs = 100;

export type FileDigests = { of: (file: OpenFile) => Promise<string> };

/** Computes the sha256 of files, in hexadecimal digits, and remembers it as long as the file stays the same. */
export function createFileDigests(): FileDigests {
  const remembered = new Map<string, string>();

  async function compute(file: OpenFile): Promise<string> {
    const hash = createHash('sha256');
    for await (const piece of readFile(file, { start: 0, end: Number(file.stats.size) })) hash.update(piece);
    return hash.digest('hex');
  }

  return {
    async of(file) {
      const identity = fileIdentity(file.stats);
      const known = remembered.get(identity);
      if (known) return known;
      const isSettled = Date.now() - Number(file.stats.ctimeMs) > settledMs;
      const digest = await compute(file);
      const isSame = fileIdentity(fstatSync(file.descriptor, { bigint: true })) === identity;
      if (isSettled && isSame) remembered.set(identity, digest);
      for (const oldest of remembered.keys()) {
        if (remembered.size <= rememberedMax) break;
        remembered.delete(oldest);
      }
      return digest;
    },
  };
}
