import { createHash } from 'node:crypto';
import type { RunJob } from '@holdfast/specs/public';

/** What must be the same in a repeat of a request, in a text whose length does not grow with the files. Pure. */
export function jobRequestText({ files = [], ...request }: RunJob): string {
  const digests = files.map(({ path, bytes }) => [path, createHash('sha256').update(bytes).digest('hex')]);
  return JSON.stringify({ ...request, files: digests });
}
