import { type Frame, framesIn, positionOf, processTruncatedSchema } from '@holdfast/specs/agent';
import { AgentError } from '../../agent/agent-error.ts';
import { parseJson } from '../../agent/parse-json.ts';

/** A piece of the log of a process. `position` is the place behind it. */
export type LogPiece =
  | { type: 'stdout' | 'stderr'; position: number; bytes: Buffer }
  | { type: 'truncated'; position: number; missing: number };

const noticeWeightMax = 1000;

/**
 * The part of a frame that a reader who has everything up to `after` does not have; null if nothing of it is new, or it belongs to something else than the log.
 * @throws AgentError `invalid` if an agent sent a frame whose place is impossible
 */
export function pieceOf(frame: Frame, after: number): LogPiece | null {
  const position = positionOf(frame);
  // Not a number is not above anything.
  if (!(position >= 0)) throw new AgentError('invalid', `a ${frame.type} frame has no place`);
  if (position <= after) return null;
  if (frame.type === 'truncated') {
    const missing = missingOf(frame);
    return { type: 'truncated', position, missing: Math.min(missing, position - after) };
  }
  if (frame.type !== 'stdout' && frame.type !== 'stderr') return null;
  const start = position - frame.payload.length;
  return { type: frame.type, position, bytes: frame.payload.subarray(Math.max(0, after - start)) };
}

function missingOf({ payload }: Frame): number {
  try {
    return processTruncatedSchema.parse(parseJson(payload, { weightMax: noticeWeightMax })).bytes;
  } catch (cause) {
    throw new AgentError('invalid', 'a truncated frame of a process is not of its form', { cause });
  }
}

/** The pieces of a recorded log behind `after`. Pure. */
export function* recordedPieces(log: Buffer | null, after: number): Generator<LogPiece> {
  for (const frame of log ? framesIn(log) : []) {
    const piece = pieceOf(frame, after);
    if (piece) yield piece;
  }
}
