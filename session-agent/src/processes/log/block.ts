import {
  frameAt,
  frameHeaderBytes,
  frameTypeAt,
  type ProcessFrameType,
  positionOf,
  writeProcessFrameHeader,
} from '@holdfast/specs/agent';

export type Streams = { stdout: number; stderr: number };
export type OutputStream = keyof Streams;
export type LogFrame = { type: ProcessFrameType; position: number; payload: Buffer };

/** Frames of a log that lie one behind the other in one piece of memory. */
export class Block {
  readonly bytes: Buffer;
  /** The positions before the first frame and behind the last one. */
  readonly start: number;
  end: number;
  /** The bytes of each stream before the block. */
  readonly before: Streams;
  /** Whether the block has output from the beginning of the log, which is never dropped. */
  readonly isHead: boolean;
  used = 0;
  /** The offset behind the frames that a reader has, or may still be sending. They do not change any more. */
  given = 0;
  #last = 0;

  constructor({ size, start, before, isHead }: { size: number; start: number; before: Streams; isHead: boolean }) {
    this.bytes = Buffer.allocUnsafeSlow(size);
    this.start = start;
    this.end = start;
    this.before = { ...before };
    this.isHead = isHead;
  }

  /** The largest payload for which a frame has room. Below 0 if there is not even room for its header. */
  get room(): number {
    return this.bytes.length - this.used - frameHeaderBytes;
  }

  /** Appends a frame, for which there must be room, and after which the log is at `position`. */
  append(type: ProcessFrameType, payload: Uint8Array, position: number): void {
    this.#last = this.used;
    writeProcessFrameHeader(this.bytes, this.#last, { type, position, payloadBytes: payload.length });
    this.bytes.set(payload, this.#last + frameHeaderBytes);
    this.used += frameHeaderBytes + payload.length;
    this.end = position;
  }

  /** Adds output to the last frame if it may grow. Returns the number of bytes for which there was room. */
  extend(stream: OutputStream, bytes: Uint8Array): number {
    if (this.#last < this.given || frameTypeAt(this.bytes, this.#last) !== stream) return 0;
    const added = bytes.subarray(0, this.bytes.length - this.used);
    this.bytes.set(added, this.used);
    this.used += added.length;
    this.end += added.length;
    const payloadBytes = this.used - this.#last - frameHeaderBytes;
    writeProcessFrameHeader(this.bytes, this.#last, { type: stream, position: this.end, payloadBytes });
    return added.length;
  }

  *frames(): Generator<LogFrame> {
    for (let offset = 0; offset < this.used; ) {
      const frame = frameAt(this.bytes, offset);
      if (!frame) return;
      yield { type: frame.type as ProcessFrameType, position: positionOf(frame), payload: frame.payload };
      offset += frame.bytes.length;
    }
  }
}
