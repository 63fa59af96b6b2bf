import { frameHeaderBytes } from '@holdfast/specs';
import type { Stream } from '../kernel/kernel.ts';
import { ByteTail } from './byte-tail.ts';
import type { StepLog } from './step-log.ts';

const tailBytesMax = 64 * 1024;

/**
 * Puts one stream of a step into its log: the head as it comes, and where it is longer than `bytesMax`, at the end a
 * `truncated` frame and the last 64 KiB. Frames' headers count, so that a flood of tiny pieces is bounded too.
 */
export class CappedOutput {
  #log: Pick<StepLog, 'append'>;
  #stream: Stream;
  #left: number;
  #tail: ByteTail | null = null;

  constructor(log: Pick<StepLog, 'append'>, options: { stream: Stream; bytesMax: number }) {
    this.#log = log;
    this.#stream = options.stream;
    this.#left = options.bytesMax;
  }

  push(bytes: Buffer): void {
    if (this.#tail) this.#tail.push(bytes);
    else if (bytes.length > 0) this.#pushHead(bytes);
  }

  /** Call once, when the step has ended. */
  end(): void {
    if (!this.#tail) return;
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
    if (kept === bytes.length) return;
    this.#tail = new ByteTail(tailBytesMax);
    this.#tail.push(bytes.subarray(kept));
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
