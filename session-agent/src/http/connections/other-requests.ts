import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** The part of a connection that Node's own HTTP server sees: all requests but plain ones, and the answers to them. */
export class OtherRequests extends Duplex {
  readonly #socket: Socket;
  readonly #onAllAnswered: () => void;
  #unanswered = 0;

  /** @param onAllAnswered called when every request was read to its end and answered, so that what comes next is another one */
  constructor(socket: Socket, onAllAnswered: () => void) {
    super({ allowHalfOpen: true });
    this.#socket = socket;
    this.#onAllAnswered = onAllAnswered;
  }

  /** A request has begun. */
  begun(): void {
    this.#unanswered += 1;
  }

  /** A request was answered. The rest of one that was not read must not be taken for the next one. */
  answered({ isRead }: { isRead: boolean }): void {
    if (isRead) this.#unanswered -= 1;
    if (this.#unanswered === 0) this.#onAllAnswered();
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
