import * as z from 'zod';
import { int4, int4Max } from '../public/int4.ts';
import { causeSchema } from '../public/step.ts';

/**
 * Frames: what a session-agent streams about one step, and what the registry keeps of it.
 *
 *   byte 0        type
 *   bytes 1-3     zero
 *   bytes 4-7     seq: 1, 2, 3, … within the step, big-endian
 *   bytes 8-11    timeMs: zero from the agent; the data-plane writes milliseconds since the step was queued
 *   bytes 12-15   length of the payload in bytes
 *   then          the payload: raw bytes for stdout and stderr, JSON for all others
 *
 * The first frame is `queued` (where the step waits) or `started`, the last one is `done`. `changes` come right before it; the
 * data-plane puts `artifact` frames of its own in their place, which no agent sends.
 */
export const frameHeaderBytes = 16;

/** No agent sends more in one frame; a longer one ends the connection. */
export const framePayloadBytesMax = 16 * 1024 * 1024;

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
} as const;
export type FrameType = keyof typeof frameTypes;

export const frameTypeNames: readonly (FrameType | undefined)[] = [
  undefined,
  ...(Object.keys(frameTypes) as FrameType[]),
];

/** How a step ended, as its agent saw it. Durations in milliseconds. */
export const doneSchema = z.object({
  status: z.enum(['succeeded', 'failed', 'timed_out', 'interrupted', 'rejected']),
  contextEpoch: int4(1),
  executionCount: int4(0),
  durationMs: z.number().min(0).max(int4Max),
  stateSurvived: z.boolean(),
  cause: causeSchema.nullable(),
  streamIncomplete: z.boolean().optional(),
});
export type Done = z.infer<typeof doneSchema>;

/** One frame as one buffer. */
export function encodeFrame(type: FrameType, seq: number, payload: Uint8Array | object): Buffer {
  const body = payload instanceof Uint8Array ? payload : Buffer.from(JSON.stringify(payload));
  const frame = Buffer.allocUnsafe(frameHeaderBytes + body.length);
  frame.writeUInt32BE(frameTypes[type] << 24, 0);
  frame.writeUInt32BE(seq, 4);
  frame.writeUInt32BE(0, 8);
  frame.writeUInt32BE(body.length, 12);
  frame.set(body, frameHeaderBytes);
  return frame;
}

/** A frame as it lies in a buffer; `bytes` is header and payload together and shares the buffer's memory. */
export type Frame = { type: FrameType; seq: number; timeMs: number; payload: Buffer; bytes: Buffer };

/** Says what is wrong with a stream of frames. */
export class FrameError extends Error {
  override name = 'FrameError';
}

/**
 * The frame that begins at `offset`, or null while `buffer` does not hold it whole.
 * @throws FrameError on an unknown type or a length over `framePayloadBytesMax`.
 */
export function frameAt(buffer: Buffer, offset: number): Frame | null {
  if (buffer.length - offset < frameHeaderBytes) return null;
  const word = buffer.readUInt32BE(offset);
  const type = frameTypeNames[word >>> 24];
  if (!type || (word & 0xffffff) !== 0) throw new FrameError(`frame of unknown type ${word >>> 24}`);
  const length = buffer.readUInt32BE(offset + 12);
  if (length > framePayloadBytesMax) throw new FrameError(`frame of ${length} bytes is over the limit`);
  const end = offset + frameHeaderBytes + length;
  if (buffer.length < end) return null;
  return {
    type,
    seq: buffer.readUInt32BE(offset + 4),
    timeMs: buffer.readUInt32BE(offset + 8),
    payload: buffer.subarray(offset + frameHeaderBytes, end),
    bytes: buffer.subarray(offset, end),
  };
}

/** All frames of a buffer that holds whole frames only, as the registry keeps them. */
export function* framesIn(buffer: Buffer): Generator<Frame> {
  for (let offset = 0; offset < buffer.length; ) {
    const frame = frameAt(buffer, offset);
    if (!frame) throw new FrameError('the last frame is cut off');
    yield frame;
    offset += frame.bytes.length;
  }
}

/** Cuts a byte stream into frames: give it chunks, it gives back the frames that are complete. */
export function frameSplitter(): (chunk: Buffer) => Frame[] {
  let rest: Buffer[] = [];
  let restBytes = 0;
  let wanted = frameHeaderBytes;
  return (chunk) => {
    rest.push(chunk);
    restBytes += chunk.length;
    if (restBytes < wanted) return [];
    const buffer = rest.length === 1 ? chunk : Buffer.concat(rest, restBytes);
    const frames: Frame[] = [];
    let offset = 0;
    for (let frame = frameAt(buffer, 0); frame; frame = frameAt(buffer, offset)) {
      frames.push(frame);
      offset += frame.bytes.length;
    }
    const left = buffer.subarray(offset);
    rest = left.length > 0 ? [left] : [];
    restBytes = left.length;
    wanted = restBytes < frameHeaderBytes ? frameHeaderBytes : frameHeaderBytes + left.readUInt32BE(12);
    return frames;
  };
}
