import type { JobProgram, JobResult, Step } from '@holdfast/specs/public';

/** How a job's process ended, as far as that is known. Pure. */
export const jobResult = (program: JobProgram, { status, cause }: Pick<Step, 'status' | 'cause'>): JobResult => ({
  ...program,
  exitCode: status === 'succeeded' ? 0 : (cause?.exitCode ?? null),
  signal: cause?.signal ?? null,
  timedOut: status === 'timed_out',
});
