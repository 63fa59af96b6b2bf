import { frameHeaderBytes } from '@holdfast/specs/agent';
import type { Stream } from '../kernel-process/kernel.ts';
import { ByteTail } from './byte-tail.ts';
import type { OutputWriter } from './output-files.ts';
import type { StepLog } from './step-log.ts';

const tailBytesMax = 64 * 1024;

/** Called once where the stream is longer than its frames may be: who keeps the whole of it, given how long the head is. */
type Keep = (headBytes: number) => OutputWriter | null;

/**
 * Puts one stream of a step into its log: the head as it comes, and where it is longer than `bytesMax`, at the end a
 * `truncated` frame and the last 64 KiB. Frames' headers count, so that a flood of tiny pieces is bounded too.
 */
export class CappedOutput {
  #log: Pick<StepLog, 'append'>;
  #stream: Stream;
  #left: number;
  #headBytes = 0;
  #tail: ByteTail | null = null;
  #keep: Keep;
  #keeper: OutputWriter | null = null;

  constructor(log: Pick<StepLog, 'append'>, options: { stream: Stream; bytesMax: number; keep?: Keep }) {
    this.#log = log;
    this.#stream = options.stream;
    this.#left = options.bytesMax;
    this.#keep = options.keep ?? (() => null);
  }

  push(bytes: Buffer): void {
    if (this.#tail) this.#pushRest(this.#tail, bytes);
    else if (bytes.length > 0) this.#pushHead(bytes);
  }

  /** Call once, when the step has ended. */
  end(): void {
    if (!this.#tail) return;
    this.#keeper?.end();
    const kept = this.#tail.bytes();
    const whole = this.#tail.pushedBytes === kept.length ? kept : kept.subarray(characterEnd(kept));
    const droppedBytes = this.#tail.pushedBytes - whole.length;
    if (droppedBytes > 0) this.#log.append('truncated', { stream: this.#stream, bytes: droppedBytes });
    this.#log.append(this.#stream, whole);
  }

  #pushHead(bytes: Buffer): void {
    this.#left -= frameHeaderBytes;
    const kept = bytes.length <= this.#left ? bytes.length : characterStart(bytes, Math.max(0, this.#left));
    if (kept > 0) this.#log.append(this.#stream, bytes.subarray(0, kept));
    this.#left -= kept;
    this.#headBytes += kept;
    if (kept === bytes.length) return;
    this.#tail = new ByteTail(tailBytesMax);
    this.#keeper = this.#keep(this.#headBytes);
    this.#pushRest(this.#tail, bytes.subarray(kept));
  }

  #pushRest(tail: ByteTail, bytes: Buffer): void {
    tail.push(bytes);
    this.#keeper?.push(bytes);
  }
}

const continues = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/** The nearest place at or before `at` where a UTF-8 character begins. */
function characterStart(bytes: Buffer, at: number): number {
  let start = at;
  while (start > 0 && at - start < 3 && continues(bytes[start])) start -= 1;
  return start;
}

/** Where the character ends whose beginning was cut off. */
function characterEnd(bytes: Buffer): number {
  let end = 0;
  while (end < 3 && continues(bytes[end])) end += 1;
  return end;
}
