import { encodeProcessFrame } from '@holdfast/specs/agent';
import type { LogFrame, ProcessLog } from './process-log.ts';

const endBytes = 32 * 1024;
/** The position behind `started`, at which the output begins. */
const outputStart = 1;

/** Returns a function that gives the next frame: `started` at once if `after` is 0, and the others when the process has ended. */
export function createEndsReader(log: ProcessLog, after: number): () => Buffer | null {
  let hasStarted = after > 0;
  let ends: Iterator<Buffer> | null = null;
  return () => {
    if (!hasStarted) {
      hasStarted = true;
      return readEnds(log).next().value ?? null;
    }
    if (!log.done) return null;
    if (!ends) {
      ends = readEnds(log);
      ends.next();
    }
    return ends.next().value ?? null;
  };
}

/** The frames of a process that has ended, with no more of its output than the first and the last 32 KiB. */
export function* readEnds(log: Pick<ProcessLog, 'frames' | 'streams'>): Generator<Buffer> {
  const outputEnd = outputStart + log.streams.stdout + log.streams.stderr;
  const headEnd = outputStart + endBytes;
  const tailStart = outputEnd - endBytes;
  let at = 0;
  for (const frame of log.frames()) {
    for (const { type, position, payload } of partsOf(frame, { headEnd, tailStart })) {
      const missing = startOf({ type, position, payload }) - at;
      if (missing > 0) yield encodeProcessFrame('truncated', at + missing, { bytes: missing });
      yield encodeProcessFrame(type, position, payload);
      at = position;
    }
  }
}

/** The parts of a frame that are before `headEnd` or behind `tailStart`. */
function* partsOf(
  frame: LogFrame,
  { headEnd, tailStart }: { headEnd: number; tailStart: number },
): Generator<LogFrame> {
  const start = startOf(frame);
  if (!isOutput(frame) || tailStart <= headEnd || frame.position <= headEnd || start >= tailStart) {
    yield frame;
    return;
  }
  const cut = (from: number, to: number) => ({
    ...frame,
    position: to,
    payload: frame.payload.subarray(from - start, to - start),
  });
  if (start < headEnd) yield cut(start, headEnd);
  if (frame.position > tailStart) yield cut(tailStart, frame.position);
}

const isOutput = ({ type }: LogFrame) => type === 'stdout' || type === 'stderr';
const startOf = (frame: LogFrame) => frame.position - (isOutput(frame) ? frame.payload.length : 1);
