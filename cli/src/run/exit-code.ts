import { constants } from 'node:os';
import type { ProcessRecord, Step } from '@holdfast/sdk';

/** The exit code of a step as a shell would have it: its own, 130 after an interrupt, 124 after a timeout as timeout(1) has it, or else 1. */
export function exitCodeOf({ status, exitCode }: Pick<Step, 'status' | 'exitCode'>): number {
  if (exitCode !== undefined) return exitCode & 255;
  if (status === 'succeeded') return 0;
  if (status === 'interrupted') return 130;
  return status === 'timed_out' ? 124 : 1;
}

/** The exit code of a process, as a shell has it: 128 and the number of the signal that ended it. */
export function processExitCode({
  status,
  exitCode,
  signal,
}: Pick<ProcessRecord, 'status' | 'exitCode' | 'signal'>): number {
  if (status === 'timed_out') return 124;
  if (exitCode !== null) return exitCode;
  return signal ? 128 + (constants.signals[signal as NodeJS.Signals] ?? 0) : 1;
}
