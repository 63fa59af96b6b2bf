import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** The bytes that a tunnel holds for one side that does not take them. */
const heldBytesMax = 64 * 1024;

export type Passed = (bytes: { received?: number; sent?: number }) => void;

/**
 * A connection through an agent to a port of its sandbox, with as much of a socket as Node's HTTP client uses. A paced socket can only be
 * read piece by piece (`paced-socket.ts`), which a reader in flowing mode does not do.
 */
export class Tunnel extends Duplex {
  readonly #connection: Socket;
  readonly #onPassed: Passed;
  #timer: NodeJS.Timeout | undefined;
  #wantsMore = false;

  /** @param onPassed gets the numbers of bytes as they pass, seen from the visitor's side */
  constructor(connection: Socket, onPassed: Passed) {
    super({ allowHalfOpen: true, highWaterMark: heldBytesMax });
    this.#connection = connection;
    this.#onPassed = onPassed;
    connection.on('readable', () => this.#pass());
    connection.once('end', () => this.push(null));
    connection.once('error', (error) => this.destroy(error));
    // Only a connection that was read to its end has given everything.
    connection.once('close', () => connection.readableEnded || this.destroy(new Error('the connection was cut')));
  }

  override _read(): void {
    this.#wantsMore = true;
    this.#pass();
  }

  #pass(): void {
    while (this.#wantsMore) {
      const chunk: Buffer | null = this.#connection.read();
      if (chunk === null) return;
      this.#onPassed({ sent: chunk.length });
      this.#timer?.refresh();
      this.#wantsMore = this.push(chunk);
    }
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#onPassed({ received: chunk.length });
    this.#timer?.refresh();
    this.#connection.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.#connection.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#timer);
    // The agent would take an orderly end for that of one way, and keep the other.
    if (this.#connection.readableEnded && this.#connection.writableFinished) this.#connection.destroy();
    else this.#connection.resetAndDestroy();
    done(error);
  }

  /** As `Socket.setTimeout`: emits `timeout` once nothing has passed for so long. */
  setTimeout(ms: number, onTimeout?: () => void): this {
    clearTimeout(this.#timer);
    this.#timer = ms > 0 ? setTimeout(() => this.emit('timeout'), ms) : undefined;
    if (onTimeout) this.once('timeout', onTimeout);
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}
