import type { Done } from '@holdfast/specs/agent';
import type { Cause, ProgramLimits } from '@holdfast/specs/public';
import { limitCause } from '../kernel-process/limits/limit-cause.ts';
import type { ProgramEnd } from './supervisor-report.ts';

/**
 * The last frame of a job, from the end of its program and the cause for which it was stopped, if it was. A job has no context:
 * `contextEpoch` and `executionCount` are only there because the frame requires them. Pure.
 */
export function jobOutcome(
  { end, stopped, oomKilled, limits }: JobEnd,
  measured: Pick<Done, 'durationMs' | 'streamIncomplete'>,
): Done {
  const cause = causeOf({ end, stopped, oomKilled, limits });
  const status = stopped ? statusBy(stopped) : cause ? 'failed' : 'succeeded';
  const { usage } = end;
  return {
    ...measured,
    contextEpoch: 1,
    executionCount: 0,
    status,
    stateSurvived: true,
    cause,
    ...(usage && { usage }),
  };
}

type JobEnd = { end: ProgramEnd; stopped: Cause | null; oomKilled: boolean; limits?: ProgramLimits | undefined };

function causeOf({ end, stopped, oomKilled, limits = {} }: JobEnd): Cause | null {
  const { exitCode, signal, fault } = end;
  const how = { ...(exitCode !== null && { exitCode }), ...(signal !== null && { signal }) };
  if (stopped) return { ...stopped, ...how };
  if (fault !== undefined) return { code: 'never_started', message: `the program cannot be started: ${fault}` };
  const limit = limitCause(end, limits);
  if (limit) return { ...limit, ...how };
  if (signal === 'SIGKILL' && oomKilled) return { code: 'oom_killed', ...how, message: 'the job ran out of memory' };
  if (exitCode === 0) return null;
  const message = signal === null ? `the program exited with code ${exitCode}` : `the program was ended by ${signal}`;
  return { code: 'process_exited', ...how, message };
}

const statusBy = ({ code }: Cause) => (code === 'timeout' ? 'timed_out' : 'interrupted');
