import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

type Events = {
  /** Every request was read to its end and answered, so what comes next is another one. */
  allAnswered(): void;
  /** Node's server has ended the connection. */
  destroyed(): void;
};

/** The part of a connection that Node's own HTTP server sees: all requests but plain ones, and the answers to them. */
export class OtherRequests extends Duplex {
  readonly #socket: Socket;
  readonly #on: Events;
  #unanswered = 0;
  #hasTimeout = false;

  constructor(socket: Socket, on: Events) {
    super({ allowHalfOpen: true });
    this.#socket = socket;
    this.#on = on;
  }

  /** A request has begun, whose connection this is for Node's server. */
  begun(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.#unanswered += 1;
    outgoing.once('close', () => {
      // The rest of a request that was not read must not be taken for the next one.
      if (incoming.complete) this.#answered();
      else incoming.once('close', () => incoming.complete && this.#answered());
    });
  }

  #answered(): void {
    this.#unanswered -= 1;
    if (this.#unanswered === 0) this.#on.allAnswered();
  }

  /** As `Socket.setTimeout`: Node's server calls it. */
  setTimeout(ms: number): this {
    this.#hasTimeout = ms > 0;
    this.#socket.setTimeout(ms);
    return this;
  }

  /** Nothing has moved on the connection for as long as was set. */
  timedOut(): void {
    if (this.#hasTimeout) this.emit('timeout');
  }

  /** Takes what came on the connection; null at its end. */
  receive(chunk: Buffer | null): void {
    if (!this.push(chunk) && chunk) this.#socket.pause();
  }

  /** As `Socket.resetAndDestroy`: the other side learns that it did not get everything. */
  resetAndDestroy(): this {
    this.#socket.resetAndDestroy();
    return this.destroy();
  }

  /** The address of the other side, as far as it is known. */
  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, encoding, done);
  }

  override _writev(
    chunks: { chunk: Buffer | string; encoding: BufferEncoding }[],
    done: (error?: Error | null) => void,
  ): void {
    this.#socket.cork();
    const last = chunks.length - 1;
    for (const [index, { chunk, encoding }] of chunks.entries())
      this.#socket.write(chunk, encoding, index === last ? done : undefined);
    this.#socket.uncork();
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#on.destroyed();
    done(error);
  }
}
