type Options = { type: 'minor' | 'major'; flavor?: 'last-resort' };

let collector: ((options: Options) => void) | undefined;

/**
 * Makes V8 collect garbage now. By itself V8 is late when the garbage is buffers or the program is idle. Launchers start the agent with
 * --expose-gc; without it the collector comes with a context of its own, which is a quarter of a mebibyte.
 */
export function collectGarbage(options: Options): void {
  collector ??= (globalThis.gc as typeof collector) ?? expose();
  collector(options);
}

function expose(): (options: Options) => void {
  process.getBuiltinModule('node:v8').setFlagsFromString('--expose-gc');
  return process.getBuiltinModule('node:vm').runInNewContext('gc');
}

const collectAfterBytes = 8 * 1024 * 1024;
let copiedBytes = 0;

/** Call with the size of each piece of output that is copied for a moment. V8 would collect the copies only after 64 MiB. */
export function collectCopies(bytes: number): void {
  copiedBytes += bytes;
  if (copiedBytes < collectAfterBytes) return;
  copiedBytes = 0;
  collectGarbage({ type: 'minor' });
}
