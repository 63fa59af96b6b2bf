import type { Done } from '@holdfast/specs/agent';
import type { Cause } from '@holdfast/specs/public';
import type { KernelStepEnd } from '../kernel-process/kernel.ts';

type Execution = Pick<Done, 'contextEpoch' | 'executionCount' | 'durationMs'>;

/**
 * How a step ended, from what its kernel said and why it was stopped, if it was. A step that was told to stop counts as stopped
 * even where its code caught the interrupt and ended by itself: what it left undone is not known.
 */
export function stepOutcome(execution: Execution, end: KernelStepEnd, stopped: Cause | null): Done {
  return {
    ...execution,
    status: stopped ? statusBy(stopped) : end.status === 'died' ? 'failed' : end.status,
    stateSurvived: end.status !== 'died',
    cause: stopped ?? (end.status === 'died' ? end.cause : null),
    ...(end.streamIncomplete && { streamIncomplete: true }),
  };
}

const statusBy = ({ code }: Cause) => (code === 'timeout' ? 'timed_out' : 'interrupted');
