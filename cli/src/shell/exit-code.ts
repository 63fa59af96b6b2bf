import { constants } from 'node:os';
import type { ProcessRecord } from '@holdfast/sdk';
import { Failure } from '../failures/failure.ts';

/**
 * The exit code of a process as a shell has it: 128 and the number of a signal that killed it, 124 after a timeout.
 * @throws Failure if the process was lost
 */
export function exitCodeOfProcess({ status, exitCode, signal, cause }: ProcessRecord): number {
  if (exitCode !== null) return exitCode;
  if (status === 'timed_out') return 124;
  if (signal !== null) return 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
  throw new Failure(`the process is ${status}${cause ? `: ${cause.message}` : ''}`);
}
