import { frameHeaderBytes } from '@holdfast/specs/agent';
import { Problem } from '@holdfast/specs/public';
import type { InputRequest } from '../kernel-process/kernel.ts';

const aheadBytesMax = 1024 * 1024;
/** All requests of one step together, so that code which asks without end fills no log: beyond it meets the end of input. */
const requestBytesMax = 4 * aheadBytesMax;
/** What a line or a request costs beside its text. */
const extraBytes = 64 + frameHeaderBytes;

type Asker = {
  /** The step waits for input. */
  ask: (request: InputRequest) => void;
  answer: (text: string | null) => void;
};

/** What is typed for one step: lines that came ahead answer its next requests, and only where there is none is somebody asked. */
export class StepInput {
  #ahead: string[] = [];
  #aheadBytes = 0;
  #requestBytes = 0;
  #waiting: InputRequest | null = null;
  #asker: Asker | null = null;
  #isOver = false;

  /** What the step waits for, or null where it does not wait. */
  get waiting(): InputRequest | null {
    return this.#waiting;
  }

  /** The step has started: from now on requests come. */
  connect(asker: Asker): void {
    this.#asker = asker;
  }

  /** A request takes the place of the one before it, for which the code has then stopped waiting. */
  request(request: InputRequest): void {
    const next = this.#ahead.shift();
    this.#waiting = null;
    if (next !== undefined) {
      this.#aheadBytes -= costOf(next);
      this.#asker?.answer(next);
      return;
    }
    this.#requestBytes += costOf(request.prompt);
    if (this.#isOver || this.#requestBytes > requestBytesMax) this.#asker?.answer(null);
    else {
      this.#waiting = request;
      this.#asker?.ask(request);
    }
  }

  /**
   * A line without its end, or null, after which every request meets the end of input.
   * @throws Problem `stdin-closed` after the end, `body-too-large` where over 1 MiB would wait to be read.
   */
  give(text: string | null): void {
    if (this.#isOver) throw new Problem('stdin-closed', { detail: 'the step reads no input any more' });
    if (text === null) this.#isOver = true;
    if (this.#waiting) {
      this.#waiting = null;
      this.#asker?.answer(text);
    } else if (text !== null) this.#keep(text);
  }

  /** The step has ended. */
  end(): void {
    this.#isOver = true;
    this.#asker = null;
    this.#waiting = null;
    this.#ahead = [];
  }

  #keep(text: string): void {
    if (this.#aheadBytes > 0 && this.#aheadBytes + costOf(text) > aheadBytesMax) {
      throw new Problem('body-too-large', { detail: 'input of over 1 MiB waits to be read' });
    }
    this.#aheadBytes += costOf(text);
    this.#ahead.push(text);
  }
}

const costOf = (text: string) => Buffer.byteLength(text) + extraBytes;
