import type { ProcessDone } from '@holdfast/specs/agent';
import type { Cause } from '@holdfast/specs/public';
import type { ProgramEnd } from './start/process-starter.ts';

type Ending = { end: ProgramEnd; stopped: Cause | null; oomKilled: boolean };

/** The last frame of a process, from the end of its program and the cause for which it was stopped, if it was. Pure. */
export function processOutcome(
  { end: { exitCode, signal, usage }, stopped, oomKilled }: Ending,
  measured: Pick<ProcessDone, 'durationMs' | 'stdoutBytes' | 'stderrBytes' | 'outputIncomplete'>,
): ProcessDone {
  const isTimeout = stopped?.code === 'timeout';
  const status = isTimeout ? 'timed_out' : signal === null ? 'exited' : 'signalled';
  const ranOut = signal === 'SIGKILL' && oomKilled;
  const cause: Cause | null =
    stopped ?? (ranOut ? { code: 'oom_killed', message: 'the process ran out of memory' } : null);
  return { status, exitCode, signal, cause, usage, ...measured };
}
