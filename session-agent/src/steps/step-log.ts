import { type Done, type FrameType, frameHeaderBytes, framesIn, writeFrameHeader } from '@holdfast/specs/agent';

const firstBlockBytes = 512;
const blockBytesMax = 64 * 1024;
const timeMsMax = 2 ** 32 - 1;

/** A position in a log: everything before it has been read. */
export type Cursor = { block: number; offset: number };

/**
 * The frames of one step, appended in order and read by any number of readers, each at its own speed. Frames are stored one after another
 * in blocks of growing size, so that a flood of small frames needs little more memory than its bytes.
 */
export class StepLog {
  state: 'queued' | 'running' | 'finished' = 'queued';
  /** Whether the code has called an operation, which is sent on at once. */
  hasCalls = false;
  #seq = 0;
  readonly #beganMs = performance.now();
  #blocks: { bytes: Buffer; used: number }[] = [];
  #allocatedBytes = 0;
  /** Replaced and not changed, as it may be in use. */
  #followers: readonly (() => void)[] = [];

  append(type: FrameType, payload: Uint8Array | object): void {
    if (payload instanceof Uint8Array) this.#append(type, payload, payload.length);
    else this.appendJson(type, JSON.stringify(payload));
  }

  appendJson(type: FrameType, json: string): void {
    this.#append(type, json, Buffer.byteLength(json));
  }

  /** Appends the last frame. */
  finish(done: Done): void {
    this.state = 'finished';
    this.append('done', done);
    this.#followers = [];
  }

  /** The number of frames, which is also the `seq` of the last one. */
  get frames(): number {
    return this.#seq;
  }

  /** The memory of the frames, in bytes. */
  get bytes(): number {
    return this.#allocatedBytes;
  }

  /** The position after the frame numbered `seq`; 0 is the beginning. */
  cursorAfter(seq: number): Cursor {
    if (seq === 0) return { block: 0, offset: 0 };
    let left = seq;
    for (const [block, { bytes, used }] of this.#blocks.entries()) {
      let offset = 0;
      for (const frame of framesIn(bytes.subarray(0, used))) {
        offset += frame.bytes.length;
        left -= 1;
        if (left === 0) break;
      }
      if (left === 0) return { block, offset };
    }
    return { block: 0, offset: 0 };
  }

  /** Reads the next frames and moves the cursor behind them; null if there are none yet. */
  read(cursor: Cursor): Buffer | null {
    for (;;) {
      const block = this.#blocks[cursor.block];
      if (!block) return null;
      if (cursor.offset < block.used) {
        const unread = block.bytes.subarray(cursor.offset, block.used);
        cursor.offset = block.used;
        return unread;
      }
      if (cursor.block === this.#blocks.length - 1) return null;
      cursor.block += 1;
      cursor.offset = 0;
    }
  }

  /** The payloads of this type that are in the log now, read lazily. */
  payloads(type: FrameType): Iterable<Buffer> {
    return payloadsIn(
      this.#blocks.map(({ bytes, used }) => bytes.subarray(0, used)),
      type,
    );
  }

  /** How many bytes are unread at this cursor. */
  bytesFrom(cursor: Cursor): number {
    const unread = this.#blocks.slice(cursor.block).reduce((sum, { used }) => sum + used, 0);
    return unread - cursor.offset;
  }

  /** Calls `changed` on each new frame until the last one, or until the returned function is called. */
  follow(changed: () => void): () => void {
    this.#followers = [...this.#followers, changed];
    return () => {
      this.#followers = this.#followers.filter((follower) => follower !== changed);
    };
  }

  async untilFinished(): Promise<void> {
    if (this.state === 'finished') return;
    await new Promise<void>((resolve) => {
      const unfollow = this.follow(() => {
        if (this.state !== 'finished') return;
        unfollow();
        resolve();
      });
    });
  }

  /** Writes a frame into the last block if it fits there, else into a new one. */
  #append(type: FrameType, payload: Uint8Array | string, payloadBytes: number): void {
    this.#seq += 1;
    const { bytes, at } = this.#reserve(frameHeaderBytes + payloadBytes);
    const timeMs = Math.min(Math.floor(performance.now() - this.#beganMs) + 1, timeMsMax);
    writeFrameHeader(bytes, at, { type, seq: this.#seq, timeMs, payloadBytes });
    if (typeof payload === 'string') bytes.write(payload, at + frameHeaderBytes);
    else bytes.set(payload, at + frameHeaderBytes);
    if (type === 'started') this.state = 'running';
    else if (type === 'operation_request') this.hasCalls = true;
    for (const changed of this.#followers) changed();
  }

  #reserve(length: number): { bytes: Buffer; at: number } {
    const last = this.#blocks.at(-1);
    if (last && last.bytes.length - last.used >= length) {
      const at = last.used;
      last.used += length;
      return { bytes: last.bytes, at };
    }
    const size = last ? Math.min(last.bytes.length * 2, blockBytesMax) : firstBlockBytes;
    const bytes = Buffer.allocUnsafe(Math.max(length, size));
    this.#blocks.push({ bytes, used: length });
    this.#allocatedBytes += bytes.length + frameHeaderBytes;
    return { bytes, at: 0 };
  }
}

function* payloadsIn(blocks: Buffer[], type: FrameType): Generator<Buffer> {
  for (const block of blocks) {
    for (const frame of framesIn(block)) if (frame.type === type) yield frame.payload;
  }
}
