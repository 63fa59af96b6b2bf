import type { Step } from '@holdfast/sdk';

/** The exit code of a step as a shell would have it: its own, 130 after an interrupt, 124 after a timeout as timeout(1) has it, or else 1. */
export function exitCodeOf({ status, exitCode }: Pick<Step, 'status' | 'exitCode'>): number {
  if (exitCode !== undefined) return exitCode & 255;
  if (status === 'succeeded') return 0;
  if (status === 'interrupted') return 130;
  return status === 'timed_out' ? 124 : 1;
}
