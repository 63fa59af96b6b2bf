import { frameCostBytes } from '@holdfast/specs/agent';
import type { Stream } from '../kernel-process/kernel.ts';
import { ByteTail } from './byte-tail.ts';
import type { OutputWriter } from './output-files.ts';
import type { StepLog } from './step-log.ts';

const tailBytesMax = 64 * 1024;

/** Called once, when the stream exceeds the limit of its frames: opens a file for the whole stream, which begins with the head. */
type OpenFile = (headBytes: number) => OutputWriter | null;

/**
 * Writes one stream of a step to its log. The head is written as it comes. If the stream exceeds `bytesMax`, a `truncated` frame and the
 * last 64 KiB follow at the end. Each frame counts with its cost, so that a flood of tiny pieces is limited as well.
 */
export class CappedOutput {
  #log: Pick<StepLog, 'append'>;
  #stream: Stream;
  #left: number;
  #headBytes = 0;
  #tail: ByteTail | null = null;
  #openFile: OpenFile;
  #file: OutputWriter | null = null;

  constructor(log: Pick<StepLog, 'append'>, options: { stream: Stream; bytesMax: number; openFile?: OpenFile }) {
    this.#log = log;
    this.#stream = options.stream;
    this.#left = options.bytesMax;
    this.#openFile = options.openFile ?? (() => null);
  }

  push(bytes: Buffer): void {
    if (this.#tail) this.#pushRest(this.#tail, bytes);
    else if (bytes.length > 0) this.#pushHead(bytes);
  }

  /** Call once, when the step has ended. */
  end(): void {
    if (!this.#tail) return;
    this.#file?.end();
    const tail = this.#tail.bytes();
    const whole = this.#tail.pushedBytes === tail.length ? tail : tail.subarray(characterEnd(tail));
    const droppedBytes = this.#tail.pushedBytes - whole.length;
    if (droppedBytes > 0) this.#log.append('truncated', { stream: this.#stream, bytes: droppedBytes });
    this.#log.append(this.#stream, whole);
  }

  #pushHead(bytes: Buffer): void {
    this.#left -= frameCostBytes;
    const fitting = bytes.length <= this.#left ? bytes.length : characterStart(bytes, Math.max(0, this.#left));
    if (fitting > 0) this.#log.append(this.#stream, bytes.subarray(0, fitting));
    this.#left -= fitting;
    this.#headBytes += fitting;
    if (fitting === bytes.length) return;
    this.#tail = new ByteTail(tailBytesMax);
    this.#file = this.#openFile(this.#headBytes);
    this.#pushRest(this.#tail, bytes.subarray(fitting));
  }

  #pushRest(tail: ByteTail, bytes: Buffer): void {
    tail.push(bytes);
    this.#file?.push(bytes);
  }
}

const continues = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/** The nearest offset at or before `at` at which a UTF-8 character begins. */
function characterStart(bytes: Buffer, at: number): number {
  let start = at;
  while (start > 0 && at - start < 3 && continues(bytes[start])) start -= 1;
  return start;
}

/** The end of a character whose beginning was cut off. */
function characterEnd(bytes: Buffer): number {
  let end = 0;
  while (end < 3 && continues(bytes[end])) end += 1;
  return end;
}
