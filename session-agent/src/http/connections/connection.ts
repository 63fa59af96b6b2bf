import type { Socket } from 'node:net';
import { OtherRequests } from './other-requests.ts';
import { type PlainStepRequest, plainStepRequest } from './plain-step-request.ts';
import { SocketAnswer } from './socket-answer.ts';

export type AnswerPlainStep = (request: PlainStepRequest, answer: SocketAnswer) => Promise<void>;

type Served = {
  answerPlainStep: AnswerPlainStep;
  /** Gives Node's HTTP server a connection. */
  serveOthers(requests: OtherRequests): void;
  onClose(): void;
};

/**
 * One connection. A plain request for a step is read and answered here; every other request goes to Node's HTTP server, with everything that
 * comes until it is answered. So a connection serves both, one request after the other.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #served: Served;
  #answer: SocketAnswer | null = null;
  #others: OtherRequests | null = null;
  #isWithOthers = false;
  /** Bytes that came before the answer to an earlier request ended. */
  #early: Buffer | null = null;
  #isEnding = false;

  constructor(socket: Socket, served: Served) {
    this.#socket = socket;
    this.#served = served;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('drain', () => this.#answer?.drained());
    socket.on('end', () => this.#ended());
    // A failed connection closes, too.
    socket.on('error', () => {});
    socket.on('close', () => this.#closed());
    socket.on('timeout', () => this.#isIdle && socket.destroy());
  }

  /** Closes it as soon as no answer is under way. */
  end(): void {
    this.#isEnding = true;
    if (this.#isIdle) this.#socket.destroySoon();
  }

  get #isIdle(): boolean {
    return this.#answer === null && !this.#isWithOthers;
  }

  #receive(chunk: Buffer): void {
    if (this.#isWithOthers) this.#others?.receive(chunk);
    else if (this.#answer) this.#keep(chunk);
    else {
      const request = plainStepRequest(chunk);
      if (request) this.#answerPlain(request);
      else this.#passOn(chunk);
    }
  }

  /** No data-plane sends a request before the last one was answered, so there is memory for one chunk alone. */
  #keep(chunk: Buffer): void {
    this.#early = this.#early ? Buffer.concat([this.#early, chunk]) : chunk;
    this.#socket.pause();
  }

  #answerPlain(request: PlainStepRequest): void {
    this.#answer = new SocketAnswer(this.#socket, () => {
      this.#answer = null;
      this.#goOn();
    });
    void this.#served.answerPlainStep(request, this.#answer);
  }

  #passOn(chunk: Buffer): void {
    this.#isWithOthers = true;
    if (!this.#others) {
      this.#others = new OtherRequests(this.#socket, () => this.#othersAnswered());
      this.#served.serveOthers(this.#others);
    }
    this.#others.receive(chunk);
  }

  #othersAnswered(): void {
    this.#isWithOthers = false;
    this.#goOn();
  }

  #goOn(): void {
    const early = this.#early;
    if (early) {
      this.#early = null;
      this.#socket.resume();
      this.#receive(early);
    } else if (this.#isEnding) this.#socket.destroySoon();
  }

  #ended(): void {
    this.#isEnding = true;
    if (this.#isWithOthers) this.#others?.receive(null);
    else if (this.#isIdle) this.#socket.destroySoon();
  }

  #closed(): void {
    this.#others?.destroy();
    this.#answer?.closed();
    this.#served.onClose();
  }
}
