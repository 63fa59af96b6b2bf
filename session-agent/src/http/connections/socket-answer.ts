import type { Socket } from 'node:net';

/**
 * The answer to a plain request, with as much of Node's `ServerResponse` as the answers to steps use. Node's own takes longer to make and to
 * write than the rest of a short step in the agent.
 */
export class SocketAnswer {
  statusCode = 200;
  headersSent = false;
  readonly socket: Socket;
  #head: Record<string, string | number> = {};
  #isChunked = false;
  #isOver = false;
  #onDrain: (() => void) | null = null;
  #onClose: (() => void) | null = null;
  #onEnd: () => void;

  /** @param onEnd called when the answer was written to its end */
  constructor(socket: Socket, onEnd: () => void) {
    this.socket = socket;
    this.#onEnd = onEnd;
  }

  get destroyed(): boolean {
    return this.socket.destroyed;
  }

  /** The bytes that wait in the connection. */
  get writableLength(): number {
    return this.socket.writableLength;
  }

  on(event: 'drain' | 'close', listener: () => void): void {
    if (event === 'drain') this.#onDrain = listener;
    else this.#onClose = listener;
  }

  setHeader(name: string, value: string | number): void {
    this.#head[name.toLowerCase()] = value;
  }

  setHeaders(headers: ReadonlyMap<string, string>): void {
    for (const [name, value] of headers) this.setHeader(name, value);
  }

  writeHead(status: number, headers: Record<string, string | number>): void {
    this.statusCode = status;
    for (const name in headers) this.setHeader(name, headers[name] as string | number);
  }

  /** False: it should be called again only after `drain`. */
  write(bytes: Uint8Array): boolean {
    if (!this.headersSent) {
      this.#isChunked = this.#head['content-length'] === undefined;
      this.socket.write(this.#takeHead(), 'latin1');
    }
    if (!this.#isChunked) return this.socket.write(bytes);
    this.socket.write(`${bytes.length.toString(16)}\r\n`, 'latin1');
    this.socket.write(bytes);
    return this.socket.write('\r\n', 'latin1');
  }

  /** Ends the answer, whose body `text` is if none was written before. */
  end(text: string | null = null, encoding: 'latin1' | 'utf8' = 'utf8'): void {
    if (this.#isOver) return;
    if (!this.headersSent) {
      this.#head['content-length'] ??= Buffer.byteLength(text ?? '', encoding);
      this.socket.write(this.#takeHead() + (text ?? ''), encoding);
    } else if (this.#isChunked) this.socket.write('0\r\n\r\n', 'latin1');
    this.#finish();
    this.#onEnd();
  }

  /** The connection takes more. */
  drained(): void {
    this.#onDrain?.();
  }

  /** The connection is gone. */
  closed(): void {
    if (!this.#isOver) this.#finish();
  }

  #takeHead(): string {
    this.headersSent = true;
    let head = `HTTP/1.1 ${this.statusCode} \r\n`;
    for (const name in this.#head) head += `${name}: ${this.#head[name]}\r\n`;
    return `${head}${this.#isChunked ? 'transfer-encoding: chunked\r\n' : ''}\r\n`;
  }

  #finish(): void {
    this.#isOver = true;
    this.#onClose?.();
  }
}
