import { encodeProcessFrame, frameHeaderBytes, type ProcessDone, type ProcessFrameType } from '@holdfast/specs/agent';
import { Block, type LogFrame, type OutputStream, type Streams } from './block.ts';

const firstBlockBytes = 512;
const blockBytesMax = 64 * 1024;
/** The output at the beginning of a log, which is kept whatever comes after it. */
const headBytes = 64 * 1024;
/** The output at the end, which is kept as well. */
const tailBytes = 64 * 1024;
/** Neither is kept beyond this memory: a frame of one byte takes that of seventeen. */
const keptMemoryMax = 128 * 1024;

/** A reader's place in a log: it has everything up to `position`. */
export type LogReader = { position: number; block: Block | null; offset: number };

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
    for (const block of this.#blocks) yield* block.frames();
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
      for (const { type, payload } of block.frames()) {
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
    for (const { type, position, payload } of block.frames()) {
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
    const block = this.#blockFor(payload.length);
    this.position += advance;
    if (type === 'stdout' || type === 'stderr') this.streams[type] += payload.length;
    block.append(type, payload, this.position);
    this.#trim();
    for (const changed of this.#followers) changed();
  }

  /** Adds output to the last frame if it may grow. Returns the number of bytes for which there was room. */
  #extend(stream: OutputStream, bytes: Uint8Array): number {
    const added = this.#blocks.at(-1)?.extend(stream, bytes) ?? 0;
    if (added === 0) return 0;
    this.position += added;
    this.streams[stream] += added;
    for (const changed of this.#followers) changed();
    return added;
  }

  /** The largest payload of a frame that is appended now. */
  #room(): number {
    const room = this.#blocks.at(-1)?.room ?? 0;
    return room > 0 ? room : this.#nextBlockBytes() - frameHeaderBytes;
  }

  #nextBlockBytes(): number {
    const last = this.#blocks.at(-1);
    return last ? Math.min(last.bytes.length * 2, blockBytesMax) : firstBlockBytes;
  }

  #blockFor(payloadBytes: number): Block {
    const last = this.#blocks.at(-1);
    if (last && last.room >= payloadBytes) return last;
    const size = Math.max(frameHeaderBytes + payloadBytes, this.#nextBlockBytes());
    const { position: start, streams: before } = this;
    this.#allocatedBytes += size;
    const isHead = start < headBytes && this.#allocatedBytes <= keptMemoryMax;
    const block = new Block({ size, start, before, isHead });
    this.#blocks.push(block);
    return block;
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
