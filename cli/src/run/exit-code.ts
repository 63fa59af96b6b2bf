import { constants } from 'node:os';
import type { Job, ProcessRecord, Step } from '@holdfast/sdk';
import { Failure } from '../failures/failure.ts';

/** The exit code of a step as a shell would have it: its own, 130 after an interrupt, 124 after a timeout as timeout(1) has it, or else 1. */
export function exitCodeOf({ status, exitCode }: Pick<Step, 'status' | 'exitCode'>): number {
  if (exitCode !== undefined) return exitCode & 255;
  if (status === 'succeeded') return 0;
  if (status === 'interrupted') return 130;
  return status === 'timed_out' ? 124 : 1;
}

/**
 * The exit code of a process, as a shell has it: 128 and the number of the signal that ended it, or 124 after a timeout.
 * @throws Failure if the process was lost
 */
export function exitCodeOfProcess({ status, exitCode, signal, cause }: ProcessEnd): number {
  if (status === 'timed_out') return 124;
  if (exitCode !== null) return exitCode;
  if (signal !== null) return codeOfSignal(signal);
  throw new Failure(`the process is ${status}${cause ? `: ${cause.message ?? cause.code}` : ''}`);
}

/** The exit code of a job, as that of a process; 1 if the program is not the reason for its end. */
export function exitCodeOfJob({ timedOut, exitCode, signal }: Pick<Job, 'timedOut' | 'exitCode' | 'signal'>): number {
  if (timedOut) return 124;
  if (exitCode !== null) return exitCode;
  return signal === null ? 1 : codeOfSignal(signal);
}

const codeOfSignal = (signal: string) => 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);

type ProcessEnd = Pick<ProcessRecord, 'status' | 'exitCode' | 'signal' | 'cause'>;
