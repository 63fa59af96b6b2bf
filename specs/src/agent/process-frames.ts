import * as z from 'zod';
import { causeSchema } from '../public/values/cause.ts';
import { resourceUsageSchema } from '../public/values/resources.ts';
import { int4, int4Max } from '../public/values/storable.ts';
import { frameHeaderBytes, frameTypes } from './frames.ts';

/**
 * A session-agent streams a process as frames with the header of frames.ts, except that bytes 4-11 are one number: the position in the
 * process's log behind this frame, big-endian. A byte of output advances the position by 1, and so does a frame of another type, but for
 * `truncated`, which advances it by the bytes that are missing. So a position names one place in the log however its bytes were cut into
 * frames: a reader that has everything up to a position continues there, with not a byte missing or twice.
 *
 * The first frame is `started`. `stdout` and `stderr` come in the order in which the agent read them; a terminal has `stdout` alone.
 * `truncated` stands for output that the agent no longer has. The last frame is `done`; `changes` come right before it, as in a step.
 */
export const processFrameTypes = ['started', 'stdout', 'stderr', 'truncated', 'changes', 'done'] as const;
export type ProcessFrameType = (typeof processFrameTypes)[number];

/** `cwd` is absolute. `pid` is the one in the sandbox. */
export const processStartedSchema = z.object({ pid: int4(1), cwd: z.string().max(8192) });
export type ProcessStarted = z.infer<typeof processStartedSchema>;

const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

/** How many bytes are missing, of both streams together. */
export const processTruncatedSchema = z.object({ bytes: count });

/**
 * The end of a process. `exitCode` and `signal` are both null if it is not known how the program ended. `cause` says why, unless the program
 * ended by itself or by a signal that a client sent: `timeout`, `session_ended`, `oom_killed` or a limit. `usage` is null if it is not known.
 * `outputIncomplete`: processes that it left behind still have its output open, and what they write from now on is dropped.
 */
export const processDoneSchema = z.object({
  status: z.enum(['exited', 'signalled', 'timed_out']),
  exitCode: int4(0).max(255).nullable(),
  signal: causeSchema.shape.signal.unwrap().nullable(),
  cause: causeSchema.nullable(),
  durationMs: z.number().min(0).max(int4Max),
  usage: resourceUsageSchema.nullable(),
  stdoutBytes: count,
  stderrBytes: count,
  outputIncomplete: z.boolean(),
});
export type ProcessDone = z.infer<typeof processDoneSchema>;

/** Writes the header of a frame at `offset`; its payload belongs behind it. */
export function writeProcessFrameHeader(
  buffer: Buffer,
  offset: number,
  { type, position, payloadBytes }: { type: ProcessFrameType; position: number; payloadBytes: number },
): void {
  buffer.writeUInt32BE(frameTypes[type] << 24, offset);
  buffer.writeBigUInt64BE(BigInt(position), offset + 4);
  buffer.writeUInt32BE(payloadBytes, offset + 12);
}

/** One frame as one buffer. */
export function encodeProcessFrame(type: ProcessFrameType, position: number, payload: Uint8Array | object): Buffer {
  const body = payload instanceof Uint8Array ? payload : Buffer.from(JSON.stringify(payload));
  const frame = Buffer.allocUnsafe(frameHeaderBytes + body.length);
  writeProcessFrameHeader(frame, 0, { type, position, payloadBytes: body.length });
  frame.set(body, frameHeaderBytes);
  return frame;
}

/** The position behind a frame of a process, which `FrameSplitter` has split off. It is an integer that a number holds exactly, or NaN. */
export function positionOf({ bytes }: { bytes: Buffer }): number {
  const position = Number(bytes.readBigUInt64BE(4));
  return Number.isSafeInteger(position) ? position : Number.NaN;
}
