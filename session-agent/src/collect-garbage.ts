import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Options = { type: 'minor' | 'major'; flavor?: 'last-resort' };

let collector: ((options: Options) => void) | undefined;

/** Makes V8 collect garbage now. By itself V8 is late when the garbage is buffers or the program is idle. */
export function collectGarbage(options: Options): void {
  collector ??= expose();
  collector(options);
}

function expose(): (options: Options) => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}

const collectAfterBytes = 8 * 1024 * 1024;
let readBytes = 0;

/** Call with the size of each piece of output that was read. Each is a buffer, and V8 would collect them only after 64 MiB. */
export function collectReadBuffers(bytes: number): void {
  readBytes += bytes;
  if (readBytes < collectAfterBytes) return;
  readBytes = 0;
  collectGarbage({ type: 'minor' });
}
