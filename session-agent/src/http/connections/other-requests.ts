import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** The part of a connection that Node's own HTTP server sees: all requests but plain ones, and the answers to them. */
export class OtherRequests extends Duplex {
  /** Called when a request was answered. `isRead`: it was read to its end, so what follows is another request. */
  readonly onAnswered: (isRead: boolean) => void;
  #socket: Socket;

  constructor(socket: Socket, onAnswered: (isRead: boolean) => void) {
    super({ allowHalfOpen: true });
    this.#socket = socket;
    this.onAnswered = onAnswered;
  }

  /** Takes what came on the connection; null at its end. */
  receive(chunk: Buffer | null): void {
    if (!this.push(chunk) && chunk) this.#socket.pause();
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
    this.#socket.destroy();
    done(error);
  }
}
