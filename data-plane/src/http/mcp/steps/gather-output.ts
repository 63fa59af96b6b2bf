import type { Result, ResultUpdate, StateReset } from '@holdfast/specs/public';
import type { FramePart } from '../../../steps/frames/frame-parts.ts';
import { type Clipped, createHeadAndTail } from './head-and-tail.ts';

/** The output of a step, within bounds. */
export type Output = {
  stdout: Clipped;
  stderr: Clipped;
  results: Result[];
  /** How many results were too large or too many. */
  resultsOmitted: number;
  /** The loss of the memory that the step has met, or null. */
  reset: StateReset | null;
};

/** The bytes of a stream at its beginning, and as many at its end. */
export const sideBytesMax = 8 * 1024;
const resultsMax = 50;
/** The bytes of all results together, as JSON. */
const resultBytesMax = 8 * 2 ** 20;

/** Gathers what a model is shown of the output of a step, frame by frame. */
export function createOutputGatherer() {
  const streams = { stdout: createHeadAndTail(sideBytesMax), stderr: createHeadAndTail(sideBytesMax) };
  const results: { result: Result; bytes: number }[] = [];
  let resultBytes = 0;
  let resultsOmitted = 0;
  let reset: StateReset | null = null;
  /** The parts of a result that has not come as a whole; null while the rest of one that is too large comes. */
  let begun: Buffer[] | null = [];

  /** Small results may be updated to large ones. */
  const update = (content: ResultUpdate, bytes: number) => {
    for (const shown of results) {
      if (shown.result.displayId !== content.displayId) continue;
      if (resultBytes - shown.bytes + bytes > resultBytesMax) {
        resultsOmitted += 1;
        continue;
      }
      resultBytes += bytes - shown.bytes;
      shown.bytes = bytes;
      Object.assign(shown.result, content);
    }
  };

  const addResult = ({ payload, isFirst, isLast }: Pick<FramePart, 'payload' | 'isFirst' | 'isLast'>) => {
    if (isFirst) begun = results.length < resultsMax ? [] : null;
    resultBytes += payload.length;
    if (resultBytes > resultBytesMax) begun = null;
    begun?.push(payload);
    if (!isLast) return;
    const whole = begun && Buffer.concat(begun);
    if (whole) results.push({ result: JSON.parse(whole.toString()), bytes: whole.length });
    else resultsOmitted += 1;
  };

  return {
    add(part: Pick<FramePart, 'type' | 'payload' | 'isFirst' | 'isLast'>): void {
      const { type, payload } = part;
      if (type === 'stdout' || type === 'stderr') streams[type].add(payload);
      else if (type === 'result') addResult(part);
      else if (type === 'result_update') update(JSON.parse(payload.toString()), payload.length);
      else if (type === 'state_reset') reset = JSON.parse(payload.toString());
      else if (type === 'truncated') {
        const { stream, bytes } = JSON.parse(payload.toString());
        if (stream === 'result') resultsOmitted += 1;
        else streams[stream as 'stdout' | 'stderr'].omit(bytes);
      }
    },

    output: (): Output => ({
      stdout: streams.stdout.clipped(),
      stderr: streams.stderr.clipped(),
      results: results.map(({ result }) => result),
      resultsOmitted,
      reset,
    }),
  };
}
