import { type CommMessage, newId, type Result, type ResultUpdate } from '@holdfast/specs/public';
import type { Kernel, KernelStepEnd } from '../../src/kernel-process/kernel.ts';

/** The events of a step, in order. Output of one stream in a row is one event. */
export type SeenEvent =
  | { type: 'stdout' | 'stderr'; text: string }
  | ({ type: 'result' } & Result)
  | ({ type: 'result_update' } & ResultUpdate)
  | ({ type: 'comm' } & CommMessage)
  | { type: 'output_cleared'; wait: boolean }
  | { type: 'error'; message: string };

/** Runs a step and returns its events in their order. */
export async function eventsOfStep(
  kernel: Kernel,
  code: string,
  comm?: CommMessage,
): Promise<{ stepId: string; end: KernelStepEnd; events: SeenEvent[] }> {
  const stepId = newId('stp');
  const events: SeenEvent[] = [];
  const sink = {
    output(stream: 'stdout' | 'stderr', bytes: Buffer) {
      const last = events.at(-1);
      if (last?.type === stream) last.text += bytes;
      else events.push({ type: stream, text: String(bytes) });
    },
    result: (result: Result) => void events.push({ type: 'result', ...result }),
    resultUpdate: (update: ResultUpdate) => void events.push({ type: 'result_update', ...update }),
    error: ({ message }: { message: string }) => void events.push({ type: 'error', message }),
    comm: (message: CommMessage) => void events.push({ type: 'comm', ...message }),
    outputCleared: (clearing: { wait: boolean }) => void events.push({ type: 'output_cleared', ...clearing }),
    inputRequest() {},
  };
  return { stepId, end: await kernel.execute({ stepId, code, comm }, sink), events };
}
