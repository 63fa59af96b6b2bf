import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Opens a job's standard input as a file without a name. It is not a pipe, as Node's pipes are sockets, on which `/dev/stdin` cannot be
 * opened. And with a file, a program that reads nothing does not block a writer.
 */
export function openJobInput(tmp: string, text: string): { descriptor: number; [Symbol.dispose]: () => void } {
  const descriptor = text === '' ? openSync('/dev/null', 'r') : openText(tmp, text);
  return { descriptor, [Symbol.dispose]: () => closeSync(descriptor) };
}

function openText(tmp: string, text: string): number {
  const path = join(tmp, `holdfast-input-${randomBytes(8).toString('hex')}`);
  const { O_WRONLY, O_CREAT, O_EXCL, O_RDONLY, O_NOFOLLOW } = constants;
  const writer = openSync(path, O_WRONLY | O_CREAT | O_EXCL, 0o600);
  try {
    writeFileSync(writer, text);
    return openSync(path, O_RDONLY | O_NOFOLLOW);
  } finally {
    closeSync(writer);
    unlinkSync(path);
  }
}
