import type { ProcessDone } from '@holdfast/specs/agent';
import type { Cause, ProgramLimits } from '@holdfast/specs/public';
import { limitCause } from '../kernel-process/limits/limit-cause.ts';
import type { ProgramEnd } from './start/process-starter.ts';

type Ending = { end: ProgramEnd; stopped: Cause | null; oomKilled: boolean; limits?: ProgramLimits | undefined };

/** The last frame of a process, from the end of its program and the cause for which it was stopped, if it was. Pure. */
export function processOutcome(
  { end, stopped, oomKilled, limits = {} }: Ending,
  measured: Pick<ProcessDone, 'durationMs' | 'stdoutBytes' | 'stderrBytes' | 'outputIncomplete'>,
): ProcessDone {
  const { exitCode, signal, usage } = end;
  const isTimeout = stopped?.code === 'timeout';
  const status = isTimeout ? 'timed_out' : signal === null ? 'exited' : 'signalled';
  const ranOut = signal === 'SIGKILL' && oomKilled;
  const cause: Cause | null =
    stopped ??
    limitCause(end, limits) ??
    (ranOut ? { code: 'oom_killed', message: 'the process ran out of memory' } : null);
  return { status, exitCode, signal, cause, usage, ...measured };
}
