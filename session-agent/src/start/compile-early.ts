import { setFlagsFromString } from 'node:v8';

/**
 * Has V8 compile functions after a hundred calls instead of hundreds. Each function of the step path runs about once for a step, so by
 * itself V8 would compile most of them after several hundred steps (docs/performance.md). Call it after the start: what runs only then is
 * not worth it.
 */
export function compileEarly(): void {
  for (const flag of flags) setFlagsFromString(flag);
}

const flags = ['--invocation-count-for-maglev=100', '--minimum-invocations-after-ic-update=50'];
