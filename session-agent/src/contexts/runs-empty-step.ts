import { newId } from '@holdfast/specs/public';
import type { Kernel, StepSink } from '../kernel-process/kernel.ts';
import { settledWithin } from '../kernel-process/settled-within.ts';

const endMsMax = 2000;

/**
 * Whether the kernel ends a step without code by itself. Its output, from threads and child processes, goes to the sink of the step before.
 * If the step does not end in time, it still runs.
 */
export async function runsEmptyStep(
  kernel: Pick<Kernel, 'execute'>,
  before: Pick<StepSink, 'output'>,
): Promise<boolean> {
  const none = () => {};
  const sink: StepSink = {
    output: (...output) => before.output(...output),
    result: none,
    error: none,
    comm: none,
    inputRequest: none,
  };
  let isEnded = false;
  const ended = kernel.execute({ stepId: newId('stp'), code: '', isProbe: true }, sink).then(({ status }) => {
    isEnded = status === 'succeeded' || status === 'failed';
  });
  await settledWithin(ended, endMsMax);
  return isEnded;
}
