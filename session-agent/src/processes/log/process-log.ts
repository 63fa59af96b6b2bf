import {
  encodeProcessFrame,
  frameAt,
  frameHeaderBytes,
  frameTypeAt,
  type ProcessDone,
  type ProcessFrameType,
  positionOf,
  writeProcessFrameHeader,
} from '@holdfast/specs/agent';

const firstBlockBytes = 512;
const blockBytesMax = 64 * 1024;
/** The output at the beginning of a log, which is kept whatever comes after it. */
const headBytes = 64 * 1024;
/** The output at the end, which is kept as well. */
const tailBytes = 64 * 1024;
/** Neither is kept beyond this memory: a frame of one byte takes that of seventeen. */
const keptMemoryMax = 128 * 1024;

/**
 * `start` and `end` are positions: before the first frame and behind the last one. `before` counts the bytes of each stream before it.
 * `last` is the offset of the last frame, and `given` that behind the frames which a reader has, or may still be sending.
 */
type Block = {
  bytes: Buffer;
  used: number;
  start: number;
  end: number;
  before: Streams;
  isHead: boolean;
  last: number;
  given: number;
};
export type Streams = { stdout: number; stderr: number };
export type OutputStream = keyof Streams;

/** A reader's place in a log: it has everything up to `position`. */
export type LogReader = { position: number; block: Block | null; offset: number };

export type LogFrame = { type: ProcessFrameType; position: number; payload: Buffer };

/**
 * The frames of one process, appended in order and read by any number of readers, each at its own speed. If they take more memory than
 * `bytesMax` allows, the oldest are dropped, except for the blocks with the first and the last 64 KiB of output. A reader that comes too late for some gets a `truncated` frame.
 * Output joins the frame before it as long as no reader has got that: a program may write single bytes.
 */
export class ProcessLog {
  position = 0;
  readonly streams: Streams = { stdout: 0, stderr: 0 };
  done: ProcessDone | null = null;
  #bytesMax: () => number;
  #blocks: Block[] = [];
  #allocatedBytes = 0;
  /** Replaced and not changed, as it may be in use. */
  #followers: readonly (() => void)[] = [];

  constructor({ bytesMax }: { bytesMax: () => number }) {
    this.#bytesMax = bytesMax;
  }

  /** Copies the bytes. They are divided over blocks if need be, so that a block is full before the next one takes memory. */
  output(stream: OutputStream, bytes: Uint8Array): void {
    let rest = bytes.subarray(this.#extend(stream, bytes));
    while (rest.length > 0) {
      const part = rest.subarray(0, this.#room());
      this.#append(stream, part, part.length);
      rest = rest.subarray(part.length);
    }
  }

  append(type: 'started' | 'changes', payload: object): void {
    this.#append(type, Buffer.from(JSON.stringify(payload)), 1);
  }

  /** Appends the last frame. */
  finish(done: ProcessDone): void {
    this.done = done;
    this.#append('done', Buffer.from(JSON.stringify(done)), 1);
    this.#followers = [];
  }

  /** The memory of the frames, in bytes. */
  get bytes(): number {
    return this.#allocatedBytes;
  }

  /** The first position from which nothing is missing. */
  get kept(): number {
    let kept = this.position;
    for (const { start, end } of this.#blocks.toReversed()) {
      if (end !== kept) break;
      kept = start;
    }
    return kept;
  }

  /** Reads the next frames and moves the reader behind them; null if there are none yet. */
  read(reader: LogReader): Buffer | null {
    for (;;) {
      const { block, offset } = reader;
      if (!block) {
        const first = this.#enter(reader);
        if (first) return first;
        if (!reader.block) return null;
      } else if (offset < block.used) {
        reader.offset = block.used;
        reader.position = block.end;
        block.given = block.used;
        return block.bytes.subarray(offset, block.used);
      } else if (block === this.#blocks.at(-1)) return null;
      else reader.block = null;
    }
  }

  /** The frames that are there now. */
  *frames(): Generator<LogFrame> {
    for (const { bytes, used } of this.#blocks) yield* framesIn(bytes, used);
  }

  /** The bytes of a stream that are there without a gap, from `offset` on or from the next one that is there. */
  outputFrom(stream: OutputStream, offset: number): { offset: number; pieces: Buffer[] } {
    const pieces: Buffer[] = [];
    let next = offset;
    let at = 0;
    let end = 0;
    for (const block of this.#blocks) {
      if (block.start !== end && pieces.length > 0) break;
      end = block.end;
      at = block.before[stream];
      for (const { type, payload } of framesIn(block.bytes, block.used)) {
        if (type !== stream) continue;
        at += payload.length;
        if (at <= next) continue;
        if (pieces.length === 0) next = Math.max(next, at - payload.length);
        pieces.push(payload.subarray(payload.length - (at - next)));
        next = at;
      }
    }
    // None that is asked for is there any more: the next one is the next that comes.
    if (pieces.length === 0) return { offset: Math.max(offset, this.streams[stream]), pieces };
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    return { offset: next - length, pieces };
  }

  /** Calls `changed` on each new frame until the last one, or until the returned function is called. */
  follow(changed: () => void): () => void {
    this.#followers = [...this.#followers, changed];
    return () => {
      this.#followers = this.#followers.filter((follower) => follower !== changed);
    };
  }

  /** Finds the place of a reader that has no block. Returns a frame that only this reader gets, if it comes in the middle of one or too late. */
  #enter(reader: LogReader): Buffer | null {
    const block = this.#blocks.find(({ end }) => end > reader.position);
    if (!block) return null;
    reader.block = block;
    reader.offset = 0;
    const missing = block.start - reader.position;
    if (missing > 0) {
      reader.position = block.start;
      return encodeProcessFrame('truncated', block.start, { bytes: missing });
    }
    let start = block.start;
    for (const { type, position, payload } of framesIn(block.bytes, block.used)) {
      if (start === reader.position) return null;
      start = position;
      reader.offset += frameHeaderBytes + payload.length;
      if (position <= reader.position) continue;
      const rest = payload.subarray(payload.length - (position - reader.position));
      reader.position = position;
      block.given = Math.max(block.given, reader.offset);
      return encodeProcessFrame(type, position, rest);
    }
    return null;
  }

  #append(type: ProcessFrameType, payload: Uint8Array, advance: number): void {
    const { block, at } = this.#reserve(frameHeaderBytes + payload.length);
    this.position += advance;
    block.end = this.position;
    if (type === 'stdout' || type === 'stderr') this.streams[type] += payload.length;
    writeProcessFrameHeader(block.bytes, at, { type, position: this.position, payloadBytes: payload.length });
    block.bytes.set(payload, at + frameHeaderBytes);
    block.last = at;
    this.#trim();
    for (const changed of this.#followers) changed();
  }

  /** Adds output to the last frame if it may grow. Returns the number of bytes for which there was room. */
  #extend(stream: OutputStream, bytes: Uint8Array): number {
    const block = this.#blocks.at(-1);
    if (!block || block.last < block.given || frameTypeAt(block.bytes, block.last) !== stream) return 0;
    const added = bytes.subarray(0, block.bytes.length - block.used);
    if (added.length === 0) return 0;
    block.bytes.set(added, block.used);
    block.used += added.length;
    this.position += added.length;
    this.streams[stream] += added.length;
    block.end = this.position;
    const payloadBytes = block.used - block.last - frameHeaderBytes;
    writeProcessFrameHeader(block.bytes, block.last, { type: stream, position: this.position, payloadBytes });
    for (const changed of this.#followers) changed();
    return added.length;
  }

  /** The largest payload of a frame that is appended now. */
  #room(): number {
    const last = this.#blocks.at(-1);
    const free = last ? last.bytes.length - last.used - frameHeaderBytes : 0;
    return free > 0 ? free : this.#nextBlockBytes() - frameHeaderBytes;
  }

  #nextBlockBytes(): number {
    const last = this.#blocks.at(-1);
    return last ? Math.min(last.bytes.length * 2, blockBytesMax) : firstBlockBytes;
  }

  #reserve(length: number): { block: Block; at: number } {
    const last = this.#blocks.at(-1);
    if (last && last.bytes.length - last.used >= length) {
      const at = last.used;
      last.used += length;
      return { block: last, at };
    }
    const bytes = Buffer.allocUnsafeSlow(Math.max(length, this.#nextBlockBytes()));
    const { position } = this;
    this.#allocatedBytes += bytes.length;
    const isHead = position < headBytes && this.#allocatedBytes <= keptMemoryMax;
    const before = { ...this.streams };
    const block = { bytes, used: length, start: position, end: position, before, isHead, last: 0, given: 0 };
    this.#blocks.push(block);
    return { block, at: 0 };
  }

  #trim(): void {
    const bytesMax = this.#bytesMax();
    while (this.#allocatedBytes > bytesMax) {
      const oldest = this.#blocks.findIndex(({ isHead }) => !isHead);
      const block = this.#blocks[oldest];
      if (!block || (this.position - block.end < tailBytes && this.#memoryBehind(oldest) < keptMemoryMax)) return;
      this.#blocks.splice(oldest, 1);
      this.#allocatedBytes -= block.bytes.length;
    }
  }

  #memoryBehind(at: number): number {
    return this.#blocks.slice(at + 1).reduce((sum, { bytes }) => sum + bytes.length, 0);
  }
}

function* framesIn(bytes: Buffer, used: number): Generator<LogFrame> {
  for (let offset = 0; offset < used; ) {
    const frame = frameAt(bytes, offset);
    if (!frame) return;
    yield { type: frame.type as ProcessFrameType, position: positionOf(frame), payload: frame.payload };
    offset += frame.bytes.length;
  }
}
