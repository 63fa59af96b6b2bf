import { frameAt } from '@holdfast/specs/agent';
import type { Step } from '@holdfast/specs/public';
import { isLong, type Reader } from '../../../reading/json-slices.ts';
import type { FramePart } from '../../../steps/frames/frame-parts.ts';
import type { LiveStep } from '../../../steps/live-step.ts';
import type { OpenedStep } from '../../../steps/long-step.ts';
import type { StepAnswer } from '../../../steps/step-from-row.ts';

/** An ended step without its output. */
export type EndedStep = Omit<OpenedStep, 'stdout' | 'stderr' | 'results'> | Step;

type Following = {
  live: LiveStep;
  /** Gets each part of each frame once, in order. */
  onPart(part: Pick<FramePart, 'type' | 'seq' | 'timeMs' | 'payload' | 'isFirst' | 'isLast'>): void;
  reader: Reader;
};

/**
 * Follows a step until it has ended.
 * @throws the reason of the signal if the client has left, the reason for which the end cannot be known here
 */
export async function followToEnd({ live, onPart, reader }: Following): Promise<EndedStep> {
  let seq = 0;
  const end = await untilEnd(live, reader.signal, (bytes) => {
    const frame = frameAt(bytes, 0);
    if (!frame) return;
    seq = frame.seq;
    onPart({ ...frame, isFirst: true, isLast: true });
  });
  if (!isLong(end)) return end;
  // The frames that this reader was too late for.
  for await (const batch of end.frames?.(reader) ?? []) {
    for (const part of batch) if (part.seq > seq) onPart(part);
  }
  return await end.open(reader);
}

function untilEnd(live: LiveStep, signal: AbortSignal, onFrame: (bytes: Buffer) => void): Promise<StepAnswer> {
  let cursor = 0;
  return new Promise((resolve, reject) => {
    const stop = () => {
      unsubscribe();
      signal.removeEventListener('abort', onAbort);
    };
    const onAbort = () => {
      stop();
      live.disconnected();
      reject(signal.reason);
    };
    const pump = () => {
      try {
        while (cursor < live.frames.length) onFrame(live.frames[cursor++] as Buffer);
      } catch (error) {
        stop();
        return reject(error);
      }
      if (!live.finished && !live.failure) return;
      stop();
      if (live.finished) resolve(live.finished);
      else reject(live.failure);
    };
    const unsubscribe = live.subscribe(pump);
    signal.addEventListener('abort', onAbort);
    live.watched();
    if (signal.aborted) onAbort();
    else pump();
  });
}
