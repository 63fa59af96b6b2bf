import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '@holdfast/specs/public';

/** errno(3); EFBIG is a file size limit of the process. */
const diskFull: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** `mkfifo` says this for the first two. */
const saysFull = /No space left on device|Disk quota exceeded/;

/** The error of work with files of the temporary directory, as the caller is to see it: a directory that is full is the session's own affair. Pure. */
export function unlessFull(cause: unknown): unknown {
  const { code, stderr } = (cause ?? {}) as { code?: unknown; stderr?: unknown };
  const isFull = diskFull.has(code) || (typeof stderr === 'string' && saysFull.test(stderr));
  return isFull
    ? new Problem('workspace-full', { detail: 'the temporary directory of the sandbox is full', cause })
    : cause;
}

/** A new folder for a state. @throws Problem `workspace-full` */
export async function makeFolder(tmp: string): Promise<string> {
  return await mkdtemp(join(tmp, 'holdfast-state-')).catch((error) => {
    throw unlessFull(error);
  });
}
