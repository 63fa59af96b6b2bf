import type { Done } from '@holdfast/specs/agent';
import type { Cause } from '@holdfast/specs/public';
import type { KernelStepEnd } from '../kernel-process/kernel.ts';

/** `isReplaced`: the step's kernel was killed after it. */
type Execution = Pick<Done, 'contextEpoch' | 'executionCount' | 'durationMs'> & { isReplaced: boolean };

/**
 * The last frame of a step, from its end in the kernel and the cause for which it was stopped, if it was. A step that was stopped counts
 * as stopped even if its code caught the interrupt and ended by itself, since the agent cannot know how much of its work was done. Pure.
 */
export function stepOutcome(execution: Execution, end: KernelStepEnd, stopped: Cause | null): Done {
  const { contextEpoch, executionCount, durationMs, isReplaced } = execution;
  const status = stopped ? statusBy(stopped) : end.status === 'died' ? 'failed' : end.status;
  const stateSurvived = end.status !== 'died' && !isReplaced;
  const cause = stopped ?? (end.status === 'died' ? end.cause : null);
  const done: Done = { contextEpoch, executionCount, durationMs, status, stateSurvived, cause };
  if (end.status !== 'died') {
    if (end.usage) done.usage = end.usage;
    if (end.exitCode !== undefined) done.exitCode = end.exitCode;
  }
  if (end.streamIncomplete) done.streamIncomplete = true;
  return done;
}

const statusBy = ({ code }: Cause) => (code === 'timeout' ? 'timed_out' : 'interrupted');
