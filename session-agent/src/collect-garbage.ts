import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Options = { type: 'minor' | 'major'; flavor?: 'last-resort' };

let collector: ((options: Options) => void) | undefined;

/** Has V8 collect now. It goes by what it allocates itself, and is late where the garbage is buffers, or the program rests. */
export function collectGarbage(options: Options): void {
  collector ??= expose();
  collector(options);
}

function expose(): (options: Options) => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}
