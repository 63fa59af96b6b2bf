import { encodeProcessFrame, frameCostBytes, frameHeaderBytes } from '@holdfast/specs/agent';
import type { LogFrame } from './block.ts';
import type { ProcessLog } from './process-log.ts';

const endBytes = 32 * 1024;
/** Beyond this an end is shorter: a program that writes to both streams in turn makes a frame of each byte, and the reader pays for frames. */
const endCostMax = 64 * 1024;

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
export function* readEnds(log: Pick<ProcessLog, 'frames'>): Generator<Buffer> {
  const runs = runsOf(log);
  const ends = {
    headEnd: reach(runs, (run, bytes) => run.start + bytes),
    tailStart: reach(runs.reverse(), (run, bytes) => run.end - bytes),
  };
  let at = 0;
  for (const { type, position, pieces } of joined(log, ends)) {
    const payload = Buffer.concat(pieces);
    const missing = startOf({ type, position, payload }) - at;
    if (missing > 0) yield encodeProcessFrame('truncated', at + missing, { bytes: missing });
    yield encodeProcessFrame(type, position, payload);
    at = position;
  }
}

/** Output of one stream without a gap, by its positions. */
type Run = { type: LogFrame['type']; start: number; end: number };

function runsOf(log: Pick<ProcessLog, 'frames'>): Run[] {
  const runs: Run[] = [];
  for (const frame of log.frames()) {
    if (!isOutput(frame)) continue;
    const last = runs.at(-1);
    if (last?.type === frame.type && last.end === startOf(frame)) last.end = frame.position;
    else runs.push({ type: frame.type, start: startOf(frame), end: frame.position });
  }
  return runs;
}

/** The position to which an end of the output reaches; `runs` begin there. */
function reach(runs: readonly Run[], positionIn: (run: Run, bytes: number) => number): number {
  let bytes = 0;
  let cost = 0;
  let position = 0;
  for (const run of runs) {
    cost += frameHeaderBytes + frameCostBytes;
    const taken = Math.min(run.end - run.start, endBytes - bytes, endCostMax - cost);
    if (taken <= 0) break;
    bytes += taken;
    cost += taken;
    position = positionIn(run, taken);
  }
  return position;
}

type Ends = { headEnd: number; tailStart: number };
type Joined = Pick<LogFrame, 'type' | 'position'> & { pieces: Buffer[] };

/** The frames at both ends, those of one stream without a gap as one. */
function* joined(log: Pick<ProcessLog, 'frames'>, ends: Ends): Generator<Joined> {
  let last = null as Joined | null;
  for (const frame of log.frames()) {
    for (const { type, position, payload } of partsOf(frame, ends)) {
      const isNext = isOutput(frame) && last?.type === type && last.position === position - payload.length;
      if (last && isNext) {
        last.pieces.push(payload);
        last.position = position;
        continue;
      }
      if (last) yield last;
      last = { type, position, pieces: [payload] };
    }
  }
  if (last) yield last;
}

/** The parts of a frame that are before `headEnd` or behind `tailStart`. */
function* partsOf(frame: LogFrame, { headEnd, tailStart }: Ends): Generator<LogFrame> {
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

const isOutput = ({ type }: Pick<LogFrame, 'type'>) => type === 'stdout' || type === 'stderr';
const startOf = (frame: LogFrame) => frame.position - (isOutput(frame) ? frame.payload.length : 1);
