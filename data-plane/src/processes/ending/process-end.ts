import type { Cause } from '@holdfast/specs/public';
import type { ProcessEnd } from '../../registry/processes/end-process.ts';
import type { ProcessIntake } from './process-intake.ts';

/** The end of a process without its subject. */
export type EndOfProcess = Omit<ProcessEnd, 'id' | 'replicaId' | 'endedMsAgo'>;

/** The end as the agent reports it. `isOverBudget`: it was stopped because the time of its budget was over. Pure. */
export function reportedEnd({ done, started, log, truncated }: ProcessIntake, isOverBudget: boolean): EndOfProcess {
  if (!done) throw new Error('the process has not ended');
  const { exitCode, signal, usage } = done;
  return {
    status: isOverBudget ? 'timed_out' : done.status,
    exitCode,
    signal,
    cause: isOverBudget ? { code: 'budget' } : done.cause,
    log: Buffer.concat(log),
    truncated,
    usage,
    pid: started?.pid ?? null,
    cwd: started?.cwd ?? null,
  };
}

/** The end of a process about which nothing more can be learned. Pure. */
export function lostProcess(code: Cause['code'], message?: string): EndOfProcess {
  return {
    status: 'lost',
    exitCode: null,
    signal: null,
    cause: message ? { code, message: message.slice(0, 2000) } : { code },
    log: null,
    truncated: false,
    usage: null,
    pid: null,
    cwd: null,
  };
}
