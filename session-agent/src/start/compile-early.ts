import { setFlagsFromString } from 'node:v8';

/**
 * Has V8 compile functions after a hundred calls instead of hundreds. Each function of the step path runs about once for a step, and most
 * sessions end before V8 would compile them by itself (docs/performance.md). Call it after the start, whose functions are not needed again.
 */
export function compileEarly(): void {
  for (const flag of flags) setFlagsFromString(flag);
}

const flags = ['--invocation-count-for-maglev=100', '--minimum-invocations-after-ic-update=50'];
