import type { Socket } from 'node:net';
import { OtherRequests } from './other-requests.ts';
import type { PlainRequest } from './plain-request.ts';
import { type AnswerHead, SocketAnswer } from './socket-answer.ts';

export type AnswerPlain = (request: PlainRequest, answer: SocketAnswer) => Promise<void>;

export type Served = {
  /** As `readPlainRequest`. */
  read(chunk: Buffer): PlainRequest | 'part' | null;
  /** Never rejects. */
  answerPlain: AnswerPlain;
  /** The first lines of each answer to a plain request. */
  head: AnswerHead;
  /** Gives Node's HTTP server a connection. */
  serveOthers(requests: OtherRequests): void;
  /** Whether a client that sends no more reads no more either, as it is with programs that abandon a request. */
  endsWithClient: boolean;
};

/** In milliseconds. The last two are exceeded by up to two of the times after which `check` is called. */
export type Limits = {
  /** How long the rest of a plain request may take to come. Then Node's server, which has limits of its own, waits for it. */
  restMs: number;
  /** How long nothing may move while an answer waits for its client to take it; null means for ever. */
  stalledMs: number | null;
  /** How long nothing may come between two requests. */
  idleMs: number;
};

/**
 * One connection. A plain request is read and answered here; every other request goes to Node's HTTP server, with everything that
 * comes until it is answered. So a connection serves both, one request after the other.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #served: Served;
  readonly #limits: Limits;
  #answer: SocketAnswer | null = null;
  #others: OtherRequests | null = null;
  #isWithOthers = false;
  /** The beginning of a plain request, or bytes that came before the answer to an earlier request ended. */
  #early: Buffer | null = null;
  #rest: NodeJS.Timeout | undefined;
  /** The pieces of a plain request that have come. */
  #pieces = 0;
  #isEnding = false;
  /** The checks that have found it idle, with nothing that came between them. */
  #idleChecks = 0;
  #isStallTimed = false;

  constructor(socket: Socket, served: Served, limits: Limits) {
    this.#socket = socket;
    this.#served = served;
    this.#limits = limits;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('drain', () => this.#answer?.drained());
    socket.on('end', () => this.#ended());
    // A failed connection closes, too.
    socket.on('error', () => {});
    socket.on('close', () => this.#closed());
    socket.on('timeout', () => this.#timedOut());
  }

  /** Closes it as soon as no answer is under way. */
  end(): void {
    this.#isEnding = true;
    if (this.#isIdle) this.#socket.destroySoon();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /**
   * Looks whether it is idle or its client takes nothing. Call it again and again, `checkMs` after the last time. Node would move a socket's
   * own timer with every read and write, so it runs only while an answer waits.
   */
  check(checkMs: number): void {
    if (this.#isWithOthers) return;
    const isWaiting = this.#socket.writableLength > 0;
    this.#timeStall(isWaiting);
    if (isWaiting || !this.#isIdle) this.#idleChecks = 0;
    else if (this.#idleChecks * checkMs >= this.#limits.idleMs) this.#socket.destroy();
    else this.#idleChecks += 1;
  }

  #timeStall(isWaiting: boolean): void {
    if (this.#limits.stalledMs === null || isWaiting === this.#isStallTimed) return;
    this.#isStallTimed = isWaiting;
    this.#socket.setTimeout(isWaiting ? this.#limits.stalledMs : 0);
  }

  get #isIdle(): boolean {
    return this.#answer === null && !this.#isWithOthers && this.#early === null;
  }

  #receive(chunk: Buffer): void {
    this.#idleChecks = 0;
    if (this.#isWithOthers) this.#others?.receive(chunk);
    else if (this.#answer) this.#keep(chunk);
    else this.#begin(this.#takeEarly(chunk));
  }

  #begin(chunk: Buffer): void {
    const request = this.#served.read(chunk);
    if (request === 'part' && this.#pieces < piecesMax) this.#waitForRest(chunk);
    else if (request && request !== 'part') this.#answerPlain(request);
    else this.#passOn(chunk);
  }

  /** Some clients send the head and the body of a request one after the other. The time is that of the whole rest. */
  #waitForRest(chunk: Buffer): void {
    this.#early = chunk;
    this.#pieces += 1;
    this.#rest ??= setTimeout(() => this.#passOn(this.#takeEarly()), this.#limits.restMs);
  }

  #stopWaiting(): void {
    clearTimeout(this.#rest);
    this.#rest = undefined;
    this.#pieces = 0;
  }

  #takeEarly(more: Buffer = nothing): Buffer {
    const early = this.#early;
    if (!early) return more;
    this.#early = null;
    return Buffer.concat([early, more]);
  }

  /** Clients send no request before the last one was answered, apart from a few old ones, so there is memory for one chunk alone. */
  #keep(chunk: Buffer): void {
    this.#early = this.#early ? Buffer.concat([this.#early, chunk]) : chunk;
    this.#socket.pause();
  }

  #answerPlain(request: PlainRequest): void {
    this.#stopWaiting();
    this.#answer = new SocketAnswer(this.#socket, {
      head: this.#served.head,
      onEnd: () => {
        this.#answer = null;
        this.#goOn();
      },
    });
    void this.#served.answerPlain(request, this.#answer);
  }

  #passOn(chunk: Buffer): void {
    this.#stopWaiting();
    this.#isWithOthers = true;
    this.#isStallTimed = false;
    // Node's server may set another time.
    this.#socket.setTimeout(this.#limits.stalledMs ?? this.#limits.idleMs);
    if (!this.#others) {
      this.#others = new OtherRequests(this.#socket, {
        allAnswered: () => this.#othersAnswered(),
        destroyed: () => this.#othersDestroyed(),
      });
      this.#served.serveOthers(this.#others);
    }
    this.#others.receive(chunk);
  }

  #othersAnswered(): void {
    this.#isWithOthers = false;
    this.#socket.setTimeout(0);
    this.#goOn();
  }

  /** Node's server ends connections that are idle as far as it knows when it closes. */
  #othersDestroyed(): void {
    if (this.#isWithOthers) this.#socket.destroy();
    else this.end();
  }

  #goOn(): void {
    if (this.#early) {
      this.#socket.resume();
      this.#begin(this.#takeEarly());
    } else if (this.#isEnding) this.#socket.destroySoon();
  }

  #ended(): void {
    this.#isEnding = true;
    if (this.#early && !this.#answer) this.#passOn(this.#takeEarly());
    if (this.#isWithOthers) this.#others?.receive(null);
    else if (this.#isIdle || this.#served.endsWithClient) this.#socket.destroySoon();
  }

  #timedOut(): void {
    if (this.#isWithOthers) this.#others?.timedOut();
    else if (this.#socket.writableLength > 0) this.#socket.destroy();
  }

  #closed(): void {
    this.#stopWaiting();
    this.#isWithOthers = false;
    this.#others?.destroy();
    this.#answer?.closed();
  }
}

/** Each piece has the whole beginning read again. */
const piecesMax = 8;

const nothing = Buffer.alloc(0);
