import { frameCostBytes } from '@holdfast/specs/agent';
import { Problem } from '@holdfast/specs/public';
import type { InputRequest } from '../kernel-process/kernel.ts';

const aheadBytesMax = 1024 * 1024;
/** The limit for all requests of one step, so that endless requests cannot fill the log. Beyond it, requests get the end of input. */
const requestBytesMax = 4 * aheadBytesMax;
/** The keys that are remembered. A repeat comes soon after its first try, so the oldest are forgotten. */
const keysMax = 1000;
/** The memory of a line or request besides its text. */
const extraBytes = 64 + frameCostBytes;

type Connection = {
  /** The step waits for input. */
  ask: (request: InputRequest) => void;
  answer: (text: string | null) => void;
};

/** The input of one step. Lines that came early answer the next requests; a request goes to the client only if none is left. */
export class StepInput {
  #ahead: string[] = [];
  #aheadBytes = 0;
  #requestBytes = 0;
  #waiting: InputRequest | null = null;
  #connection: Connection | null = null;
  #isClosed = false;
  readonly #keys = new Set<string>();

  /** The request that the step waits for, or null if it does not wait. */
  get waiting(): InputRequest | null {
    return this.#waiting;
  }

  /** Call when the step starts: from now on it may send requests. */
  connect(connection: Connection): void {
    this.#connection = connection;
  }

  /** Takes a request of the step's code. It replaces the request before it, for which the code has stopped waiting. */
  request(request: InputRequest): void {
    const next = this.#ahead.shift();
    this.#waiting = null;
    if (next !== undefined) {
      this.#aheadBytes -= costOf(next);
      this.#connection?.answer(next);
      return;
    }
    this.#requestBytes += costOf(request.prompt);
    if (this.#isClosed || this.#requestBytes > requestBytesMax) this.#connection?.answer(null);
    else {
      this.#waiting = request;
      this.#connection?.ask(request);
    }
  }

  /**
   * Takes a line without its newline, or null for the end of input, which then answers all further requests. One with a `key` that came before is
   * the repeat of a request whose answer was lost, and changes nothing.
   * @throws Problem `stdin-closed` after the end, `body-too-large` if over 1 MiB would wait to be read
   */
  give(text: string | null, key?: string): void {
    if (key !== undefined && this.#keys.has(key)) return;
    if (this.#isClosed) throw new Problem('stdin-closed', { detail: 'the input of the step has ended' });
    if (text === null) this.#isClosed = true;
    if (this.#waiting) {
      this.#waiting = null;
      this.#connection?.answer(text);
    } else if (text !== null) this.#append(text);
    if (key !== undefined) this.#remember(key);
  }

  /** The step has ended. */
  end(): void {
    this.#isClosed = true;
    this.#connection = null;
    this.#waiting = null;
    this.#ahead = [];
    this.#keys.clear();
  }

  #remember(key: string): void {
    this.#keys.add(key);
    const [oldest] = this.#keys;
    if (this.#keys.size > keysMax && oldest !== undefined) this.#keys.delete(oldest);
  }

  #append(text: string): void {
    if (this.#aheadBytes > 0 && this.#aheadBytes + costOf(text) > aheadBytesMax) {
      throw new Problem('body-too-large', { detail: 'input of over 1 MiB waits to be read' });
    }
    this.#aheadBytes += costOf(text);
    this.#ahead.push(text);
  }
}

const costOf = (text: string) => Buffer.byteLength(text) + extraBytes;
