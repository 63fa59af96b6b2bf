import { setFlagsFromString } from 'node:v8';

/**
 * Has V8 compile functions after a few hundred calls instead of thousands. Each function of the step path runs about once for a step, so a
 * replica that has just started would be slow for thousands of steps (docs/performance.md). For the whole process.
 */
export function compileEarly(): void {
  for (const flag of flags) setFlagsFromString(flag);
}

const flags = [
  '--invocation-count-for-maglev=100',
  '--minimum-invocations-after-ic-update=50',
  '--invocation-count-for-turbofan=500',
];
