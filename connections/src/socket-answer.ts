import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';

/** The first lines of an answer with this status, up to the headers of its own; each ends with CRLF. */
export type AnswerHead = (status: number) => string;

type Headers = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/**
 * The answer to a plain request, with as much of Node's `ServerResponse` as the answers to steps use. Node's own takes longer to make and to
 * write than the rest of a short step in the agent. Emits `drain`, and `close` when it is over, whole or not.
 */
export class SocketAnswer extends EventEmitter {
  statusCode = 200;
  headersSent = false;
  readonly socket: Socket;
  #headers: Record<string, string | number> = {};
  #isChunked = false;
  #isOver = false;
  readonly #head: AnswerHead;
  readonly #onEnd: () => void;

  /** @param onEnd called when the answer was written to its end */
  constructor(socket: Socket, { head, onEnd }: { head: AnswerHead; onEnd: () => void }) {
    super();
    this.socket = socket;
    this.#head = head;
    this.#onEnd = onEnd;
  }

  get destroyed(): boolean {
    return this.socket.destroyed;
  }

  /** The bytes that wait in the connection. */
  get writableLength(): number {
    return this.socket.writableLength;
  }

  setHeader(name: string, value: string | number): void {
    this.#headers[inLowerCase(name)] = value;
  }

  setHeaders(headers: ReadonlyMap<string, string>): void {
    for (const [name, value] of headers) this.setHeader(name, value);
  }

  writeHead(status: number, headers: Headers): void {
    this.statusCode = status;
    for (const name in headers) this.setHeader(name, headers[name] as string | number);
  }

  /** False: it should be called again only after `drain`. */
  write(bytes: Uint8Array): boolean {
    if (!this.headersSent) {
      this.#isChunked = this.#headers['content-length'] === undefined;
      this.socket.write(this.#takeHead(), 'latin1');
    }
    if (!this.#isChunked) return this.socket.write(bytes);
    this.socket.cork();
    this.socket.write(`${bytes.length.toString(16)}\r\n`, 'latin1');
    this.socket.write(bytes);
    const takesMore = this.socket.write('\r\n', 'latin1');
    this.socket.uncork();
    return takesMore;
  }

  /** Ends the answer, whose body `text` is if none was written before. */
  end(text: string | null = null, encoding: 'latin1' | 'utf8' = 'utf8'): void {
    if (this.#isOver) return;
    if (!this.headersSent) {
      this.#headers['content-length'] ??= Buffer.byteLength(text ?? '', encoding);
      this.socket.write(this.#takeHead() + (text ?? ''), encoding);
    } else if (this.#isChunked) this.socket.write('0\r\n\r\n', 'latin1');
    this.#finish();
    this.#onEnd();
  }

  /** Ends the connection: the client must not take what was written for a whole answer. */
  destroy(): void {
    this.socket.destroy();
  }

  /** The connection takes more. */
  drained(): void {
    this.emit('drain');
  }

  /** The connection is gone. */
  closed(): void {
    if (!this.#isOver) this.#finish();
  }

  #takeHead(): string {
    this.headersSent = true;
    let head = this.#head(this.statusCode);
    for (const name in this.#headers) head += `${name}: ${this.#headers[name]}\r\n`;
    return `${head}${this.#isChunked ? 'transfer-encoding: chunked\r\n' : ''}\r\n`;
  }

  #finish(): void {
    this.#isOver = true;
    this.emit('close');
  }
}

/** As `toLowerCase`. A text that is made anew is looked up by its characters whenever it is a key, so the few names are kept. */
function inLowerCase(name: string): string {
  const known = lowerCaseNames.get(name);
  if (known !== undefined) return known;
  const lowerCase = name.toLowerCase();
  if (lowerCaseNames.size < namesMax) lowerCaseNames.set(name, lowerCase);
  return lowerCase;
}

const lowerCaseNames = new Map<string, string>();
const namesMax = 64;
