import { setImmediate as untilNextTurn } from 'node:timers/promises';
import { Problem } from '@holdfast/specs/public';
import type { Reader } from '../reading/json-slices.ts';
import { type LargeReads, pieceBytes } from '../reading/large-reads.ts';
import { readEventBytes } from '../registry/steps/read-event-bytes.ts';

/** The frames of a step, one after the other, in memory or in the registry. `end` of a span is exclusive. */
export type FrameLog = {
  readonly bytes: number;
  /** Yields the bytes in pieces, with time for other work between them. */
  read(span: Span, reader: Reader): AsyncIterable<Buffer>;
};

export type Span = { from: number; end: number };

/** The frames that this replica received so far. */
export function receivedLog(frames: readonly Buffer[]): FrameLog {
  const received = frames.slice();
  const bytes = bytesOf(received);
  return {
    bytes,
    async *read({ from, end }, { signal }) {
      let place = 0;
      let sinceTurn = 0;
      for (const frame of received) {
        const part = frame.subarray(Math.max(0, from - place), Math.max(0, end - place));
        place += frame.length;
        for (let at = 0; at < part.length; at += pieceBytes) {
          yield part.subarray(at, at + pieceBytes);
          sinceTurn += Math.min(pieceBytes, part.length - at);
          if (sinceTurn < pieceBytes) continue;
          sinceTurn = 0;
          await untilNextTurn();
          signal.throwIfAborted();
        }
      }
    },
  };
}

export const bytesOf = (frames: readonly Buffer[]): number => frames.reduce((sum, { length }) => sum + length, 0);

type Recorded = { stepId: string; bytes: number };

/**
 * The frames that the registry has of a step that has ended.
 * @throws Problem, while it is read: 404 if the step was purged meanwhile, 429, 503
 */
export function recordedLog(reads: LargeReads, { stepId, bytes }: Recorded): FrameLog {
  return {
    bytes,
    async *read({ from, end }, reader) {
      for (let at = from; at < end; at += pieceBytes) {
        const length = Math.min(pieceBytes, end - at);
        const part = { stepId, from: at, length, signal: reader.signal };
        const piece = await reads.read(reader, (db) => readEventBytes(db, part));
        if (piece?.length !== length) throw stepNotFound(stepId);
        yield piece;
      }
    },
  };
}

export const stepNotFound = (stepId: string) =>
  new Problem('not-found', { detail: `step ${stepId} does not exist in this session` });
