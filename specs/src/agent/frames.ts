import * as z from 'zod';
import { exitCodeSchema } from '../public/step.ts';
import { causeSchema } from '../public/values/cause.ts';
import { resourceUsageSchema } from '../public/values/resources.ts';
import { expressionValuesBytesMax } from '../public/values/result.ts';
import { int4, int4Max } from '../public/values/storable.ts';
import { readUint32, writeUint32 } from './uint32.ts';

/**
 * A session-agent streams a step as frames, and the registry stores most of them.
 *
 *   byte 0        type
 *   bytes 1-3     zero
 *   bytes 4-7     seq: 1, 2, 3, … within the step, big-endian
 *   bytes 8-11    timeMs: the milliseconds since the agent got the step and one more, or zero if the agent does not say; the data-plane bounds it
 *                 and stores the milliseconds since the step was queued
 *   bytes 12-15   length of the payload in bytes
 *   then          the payload: raw bytes for stdout and stderr, JSON for all others
 *
 * The first frame is `queued` if the step waits, otherwise `started`. The last one is `done`, and `changes` come right before it. The
 * data-plane replaces `changes` by its own `artifact` and `proposal` frames, and an `operation_request` that the policy denies by
 * `operation_denied`; an agent never sends those. It numbers the frames that it stores anew, because an `operation_request` that it answers
 * itself is not stored. In the others, the operation's id takes the place of the call's number. The stored frames
 * of a silent step have no counts.
 */
export const frameHeaderBytes = 16;

export const frameTypes = {
  queued: 1,
  started: 2,
  stdout: 3,
  stderr: 4,
  result: 5,
  error: 6,
  truncated: 7,
  state_reset: 8,
  done: 9,
  input_request: 10,
  changes: 11,
  artifact: 12,
  comm: 13,
  output_cleared: 14,
  proposal: 15,
  operation_request: 16,
  operation_denied: 17,
  result_update: 18,
  expression: 19,
} as const;
export type FrameType = keyof typeof frameTypes;

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

/**
 * The longest payload of each type that is taken from an agent; a longer one ends the connection before it is read. The limits leave
 * room for the longest payload that an honest agent sends.
 */
export const framePayloadBytesMax: Readonly<Record<FrameType, number>> = {
  queued: kibibyte,
  started: kibibyte,
  stdout: mebibyte,
  stderr: mebibyte,
  result: 8 * mebibyte,
  error: 8 * mebibyte,
  truncated: kibibyte,
  state_reset: mebibyte,
  done: 64 * kibibyte,
  input_request: 512 * kibibyte,
  changes: 8 * mebibyte,
  artifact: 0,
  comm: 8 * mebibyte,
  output_cleared: kibibyte,
  proposal: 0,
  operation_request: 8 * mebibyte,
  operation_denied: 0,
  result_update: 8 * mebibyte,
  expression: expressionValuesBytesMax,
};

/** The memory that a frame needs beside its bytes, roughly. Both sides count it, so that a flood of tiny frames is bounded as well. */
export const frameCostBytes = 256;

export const frameTypeNames: readonly (FrameType | undefined)[] = [
  undefined,
  ...(Object.keys(frameTypes) as FrameType[]),
];

/** The agent's report of a step's end. `durationMs` is in milliseconds. */
export const doneSchema = z.object({
  status: z.enum(['succeeded', 'failed', 'timed_out', 'interrupted', 'rejected']),
  contextEpoch: int4(1),
  executionCount: int4(0),
  durationMs: z.number().min(0).max(int4Max),
  stateSurvived: z.boolean(),
  cause: causeSchema.nullable(),
  exitCode: exitCodeSchema.optional(),
  streamIncomplete: z.boolean().optional(),
  usage: resourceUsageSchema.optional(),
});
export type Done = z.infer<typeof doneSchema>;

/** One frame as one buffer. */
export function encodeFrame(type: FrameType, seq: number, payload: Uint8Array | object): Buffer {
  const body = payload instanceof Uint8Array ? payload : Buffer.from(JSON.stringify(payload));
  const frame = Buffer.allocUnsafe(frameHeaderBytes + body.length);
  writeFrameHeader(frame, 0, { type, seq, payloadBytes: body.length });
  frame.set(body, frameHeaderBytes);
  return frame;
}

/** Writes the header of a frame at `offset`; its payload belongs behind it. */
export function writeFrameHeader(
  buffer: Buffer,
  offset: number,
  { type, seq, timeMs = 0, payloadBytes }: { type: FrameType; seq: number; timeMs?: number; payloadBytes: number },
): void {
  writeUint32(buffer, offset, frameTypes[type] << 24);
  writeUint32(buffer, offset + 4, seq);
  writeUint32(buffer, offset + 8, timeMs);
  writeUint32(buffer, offset + 12, payloadBytes);
}

/** A frame in a buffer. `bytes` is the header with the payload; it shares the buffer's memory. */
export type Frame = { type: FrameType; seq: number; timeMs: number; payload: Buffer; bytes: Buffer };

/** A stream of frames is malformed. */
export class FrameError extends Error {
  override name = 'FrameError';
}

/**
 * The frame that begins at `offset`, or null if `buffer` does not yet hold all of it.
 * @throws FrameError if the type is unknown
 */
export function frameAt(buffer: Buffer, offset: number): Frame | null {
  if (buffer.length - offset < frameHeaderBytes) return null;
  const end = offset + frameHeaderBytes + readUint32(buffer, offset + 12);
  const type = frameTypeAt(buffer, offset);
  if (buffer.length < end) return null;
  return {
    type,
    seq: readUint32(buffer, offset + 4),
    timeMs: readUint32(buffer, offset + 8),
    payload: buffer.subarray(offset + frameHeaderBytes, end),
    bytes: buffer.subarray(offset, end),
  };
}

/**
 * The type of the frame whose header begins at `offset`.
 * @throws FrameError if it is unknown
 */
export function frameTypeAt(buffer: Buffer, offset: number): FrameType {
  const word = readUint32(buffer, offset);
  const type = frameTypeNames[word >>> 24];
  if (!type || (word & 0xffffff) !== 0) throw new FrameError(`frame of unknown type ${word >>> 24}`);
  return type;
}

/**
 * All frames in a buffer of complete frames, such as the registry stores.
 * @throws FrameError if the last frame is incomplete
 */
export function* framesIn(buffer: Buffer): Generator<Frame> {
  for (let offset = 0; offset < buffer.length; ) {
    const frame = frameAt(buffer, offset);
    if (!frame) throw new FrameError('the last frame is incomplete');
    yield frame;
    offset += frame.bytes.length;
  }
}
