import type { TerminalSize } from '../generated/api.ts';
import { errorOfProblem, HoldfastError } from '../http/holdfast-error.ts';
import type { Socket } from '../http/open-socket.ts';
import { pause } from '../http/pause.ts';
import { createChannelAnswers } from './channel-answers.ts';
import { type ChannelLink, createChannelLink } from './channel-link.ts';
import type { ChannelCommand, ChannelNotice, Signal } from './channel-messages.ts';
import { type ChannelOutput, createChannelQueue } from './channel-queue.ts';
import type { Process } from './process.ts';

type Ends = Parameters<typeof createChannelLink>[0];
type Options = {
  /** `await using` kills the process, too. */
  endsProcess: boolean;
  signal?: AbortSignal | undefined;
};

const pieceBytes = 64 * 1024;
const unsentBytesMax = 256 * 1024;
const unsentPauseMs = 20;

/**
 * A live connection with a process: its output, and its input, size and signals with less delay than by calls. If the connection breaks or the
 * server restarts, the output goes on behind its last byte: none is missing, none comes twice. Input that is on its way in that moment may be
 * lost, and is never sent twice.
 * @example
 * await using terminal = await session.terminal({ columns: 120, rows: 40 });
 * await terminal.write('ls\n');
 * for await (const { bytes } of terminal) screen.write(bytes);
 */
export class ProcessChannel {
  /** Its record has the exit code when the iteration has ended. */
  readonly process: Process;
  readonly #options: Options;
  readonly #link: ChannelLink;
  readonly #queue = createChannelQueue({
    stop: () => this.#link.stop(),
    cut: () => this.#link.cut(),
    goOn: () => this.#link.goOn(),
  });
  /** Why input did not arrive, until a call is told: input has no answers. */
  #refusal: unknown = null;
  #failure: unknown = null;
  #size: TerminalSize | null = null;
  #turn: Promise<void> = Promise.resolve();
  readonly #answers = createChannelAnswers();

  constructor(process: Process, ends: Ends, options: Options) {
    this.process = process;
    this.#options = options;
    const { signal } = options;
    const onAbort = () => this.#link.end({ error: signal?.reason });
    this.#link = createChannelLink(ends, {
      onOpen: (socket) => {
        if (this.#size) socket.send(JSON.stringify({ type: 'resize', ...this.#size, ...this.#newId() }));
      },
      onLost: this.#answers.lose,
      onOutput: this.#queue.add,
      onNotice: (notice) => this.#note(notice),
      onEnd: (failure) => {
        signal?.removeEventListener('abort', onAbort);
        this.#failure = failure?.error;
        this.#answers.end(failure);
        this.#queue.end(failure);
      },
    });
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted) onAbort();
  }

  /** The output until the process has ended. It can be read once; reading slowly makes the process wait. */
  [Symbol.asyncIterator](): AsyncGenerator<ChannelOutput, void, undefined> {
    return this.#queue.read();
  }

  /**
   * Writes to the input of the process, and resolves when it is on its way. If an earlier piece did not arrive, it rejects and sends nothing.
   * @throws HoldfastError `stdin-closed` or `process-ended`, `input-lost` if an earlier piece did not arrive
   */
  async write(input: string | Uint8Array): Promise<void> {
    const bytes = typeof input === 'string' ? new TextEncoder().encode(input) : input.slice();
    await this.#inTurn(async () => {
      let first: Socket | undefined;
      for (let at = 0; at < bytes.length; at += pieceBytes) {
        const socket = await this.#opened();
        this.#throwRefusal();
        first ??= socket;
        // The pieces before may be lost with their connection, and none is to get behind one that is missing.
        if (socket !== first) throw inputLost('the connection broke');
        await this.#send(socket, bytes.subarray(at, at + pieceBytes));
      }
    });
  }

  /**
   * Gives the terminal another size.
   * @throws HoldfastError `no-terminal`
   */
  async resize({ columns, rows }: TerminalSize): Promise<void> {
    this.#size = { columns, rows };
    await this.#command({ type: 'resize', columns, rows });
  }

  /**
   * Sends a signal to the process, and resolves when it has arrived.
   * @throws HoldfastError `connection-failed` if the connection broke before the answer: it may have arrived or not
   */
  async signal(signal: Signal): Promise<void> {
    await this.#command({ type: 'signal', signal });
  }

  /** Ends the input. */
  async end(): Promise<void> {
    await this.#command({ type: 'end' });
  }

  /** Closes the connection, which ends the iteration. The process goes on. */
  close(): void {
    this.#link.end();
  }

  /** Closes the connection, and kills the shell of `session.terminal`. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
    if (this.#options.endsProcess) await this.process[Symbol.asyncDispose]();
  }

  #note(notice: ChannelNotice): void {
    if (notice.type === 'truncated') this.#queue.addMissing(notice.bytes);
    else if (notice.type === 'done') this.#answers.done(notice.id);
    else if (notice.type === 'problem') this.#refuse(errorOfProblem(notice.problem), notice.id);
    else if (notice.type === 'unread') this.#refusal = inputLost(`the process left ${notice.bytes} bytes of it unread`);
    else if (notice.type === 'finished' || notice.type === 'opened') this.process.record = notice.process;
  }

  /** Without an `id`, the refusal is one of input, or of any message if the server is one of before. */
  #refuse(error: unknown, id?: number): void {
    if (id === undefined) this.#refusal = error;
    else this.#answers.refuse(id, error);
  }

  #newId(): { id?: number } {
    return this.#link.answers() ? { id: this.#answers.newId() } : {};
  }

  async #command(command: ChannelCommand): Promise<void> {
    let answered: Promise<void> | undefined;
    await this.#inTurn(async () => {
      const socket = await this.#opened();
      if (command.type === 'end') this.#throwRefusal();
      const { id } = this.#newId();
      if (id !== undefined) answered = this.#answers.to(id, command.type);
      await this.#send(socket, JSON.stringify({ ...command, id }));
    });
    await answered;
  }

  /** Messages go in the order of the calls. */
  #inTurn(send: () => Promise<void>): Promise<void> {
    const sent = this.#turn.then(send);
    this.#turn = sent.catch(() => {});
    return sent;
  }

  async #opened(): Promise<Socket> {
    const socket = await this.#link.opened();
    if (!socket) {
      this.#throwRefusal();
      throw this.#failure ?? new HoldfastError('process-ended', 'The channel is closed');
    }
    return socket;
  }

  #throwRefusal(): void {
    const refusal = this.#refusal;
    this.#refusal = null;
    if (refusal) throw refusal;
  }

  async #send(socket: Socket, message: string | Uint8Array): Promise<void> {
    socket.send(message);
    while (socket.bufferedAmount > unsentBytesMax && this.#link.isCurrent(socket)) await pause(unsentPauseMs);
    if (socket.bufferedAmount > 0 && !this.#link.isCurrent(socket)) throw inputLost('the connection broke');
  }
}

const inputLost = (detail: string) => new HoldfastError('input-lost', 'Input did not arrive', { detail });
