import type { PastStep } from '@holdfast/specs/agent';
import type { RecoveryReport } from '@holdfast/specs/public';
import type { Kernel, StepSink } from '../kernel-process/kernel.ts';
import { failed, type ProgramCall } from '../kernel-process/operations/operations-socket.ts';
import { PastCalls } from './past-calls.ts';

/** For languages that cannot save their state. */
const cannotSave = 'this language cannot save its state';

/** Whether a step may run again: it was marked so, and is known to have ended. */
export const canRunAgain = ({ replay, status }: Pick<PastStep, 'replay' | 'status'>): boolean =>
  replay && (status === 'succeeded' || status === 'failed');

/** Whether all steps may run again, so that running them gives the whole state. */
export const isReplayable = (steps: readonly PastStep[]): boolean => steps.length > 0 && steps.every(canRunAgain);

/** The report of a context that has lost what its steps made. */
export function nothingReplayed(steps: readonly PastStep[]): RecoveryReport {
  const lost = steps.length > 0 ? [{ name: '*', reason: cannotSave }] : [];
  return { restored: [], replayed: [], lost, stopped: null };
}

const silent: StepSink = { output() {}, result() {}, error() {}, comm() {}, inputRequest() {} };

/**
 * Runs steps in a kernel that has run none, without showing their output.
 * @returns the step that did not end as it did before, or called something else: the state of the kernel is not to be used then
 * @throws Error if the kernel dies, or all steps together take longer than `timeoutMs`
 */
export async function replaySteps(
  kernel: Kernel,
  { steps, timeoutMs }: { steps: readonly PastStep[]; timeoutMs: number },
): Promise<RecoveryReport | { stoppedAt: string; reason: string }> {
  const past = new PastCalls(steps);
  const late = AbortSignal.timeout(timeoutMs);
  const interrupt = () => void kernel.kill();
  late.addEventListener('abort', interrupt);
  try {
    for (const { stepId, code, status } of steps) {
      let refusal: string | null = null;
      const operationCall = (call: ProgramCall) => {
        const answer = past.answer(stepId, call);
        if ('refusal' in answer) refusal ??= answer.refusal;
        call.answer('refusal' in answer ? failed(answer.refusal) : answer);
      };
      const end = await kernel.execute({ stepId, code }, { ...silent, operationCall });
      if (end.status === 'died')
        throw new Error(late.aborted ? `it took longer than ${timeoutMs} ms` : 'a step ended the kernel');
      if (refusal !== null) return { stoppedAt: stepId, reason: refusal };
      if (end.status !== status) return { stoppedAt: stepId, reason: 'it did not end as it did before' };
    }
    const symbols = await kernel.symbols();
    return { restored: [], replayed: symbols.map(({ name }) => name), lost: [], stopped: null };
  } finally {
    late.removeEventListener('abort', interrupt);
  }
}
