import { Problem } from '@holdfast/specs/public';
import type { DescriptorWriter } from './descriptor-writer.ts';

const waitMsMax = 10_000;
/** Requests beyond these would only fill the agent's memory. */
const waitingMax = 8;
/** The character that ends the input of a terminal (termios(3)). */
const endOfTransmission = Buffer.from([4]);

export type Accepted = { bytes: number; ended: boolean };
/** `taken`: so many of the bytes that were given now or before. */
type Given = Accepted & { taken: number };

/** The input of a process. Requests take turns, so that the bytes of one are not in the middle of another's. */
export class ProcessInput {
  #writer: DescriptorWriter | null;
  #isTerminal: boolean;
  #bytes = 0;
  #ended = false;
  #waiting = 0;
  #heldBytes = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** Without a writer it is closed from the start. */
  constructor(writer: DescriptorWriter | null, { isTerminal }: { isTerminal: boolean }) {
    this.#writer = writer;
    this.#isTerminal = isTerminal;
  }

  get accepted(): Accepted {
    return { bytes: this.#bytes, ended: this.#ended || (this.#writer?.isClosed ?? true) };
  }

  /**
   * Gives bytes to the process, of which `offset` says where in the input they begin; then, with `end`, the end. Resolves when the process
   * has room for them, or after ten seconds.
   * @throws Problem `stdin-closed`, `invalid-request` if the input has not come as far as `offset`, `quota-exceeded` if too many requests wait
   */
  async give(bytes: Uint8Array, options: { offset: number | undefined; end: boolean }): Promise<Given> {
    if (this.#waiting >= waitingMax) {
      throw new Problem('quota-exceeded', { detail: `${waitingMax} requests wait until the process reads its input` });
    }
    return this.#inTurn(() => this.#give(bytes, options, performance.now() + waitMsMax));
  }

  /** The memory of a whole input that waits for the process to read it. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Gives the process its whole input, however long it takes. */
  async giveWhole(bytes: Uint8Array): Promise<void> {
    this.#heldBytes = bytes.length;
    await this.#inTurn(() => this.#give(bytes, { offset: undefined, end: true }, Number.POSITIVE_INFINITY)).catch(
      () => {},
    );
    this.#heldBytes = 0;
  }

  close(): void {
    this.#writer?.close();
  }

  async #give(
    bytes: Uint8Array,
    { offset = this.#bytes, end }: { offset: number | undefined; end: boolean },
    deadline: number,
  ): Promise<Given> {
    const known = this.#bytes - offset;
    if (known < 0) {
      const detail = `the process has got ${this.#bytes} bytes of input so far`;
      throw new Problem('invalid-request', { detail, errors: [{ pointer: 'query/offset', detail }] });
    }
    const left = bytes.subarray(known);
    const isRepeated = this.#ended && left.length === 0 && end;
    if (isRepeated) return { ...this.accepted, taken: bytes.length };
    const writer = this.#ended ? null : this.#writer;
    if (!writer || writer.isClosed) throw new Problem('stdin-closed', { detail: 'the process takes no input' });
    const written = await writer.write(left, deadline);
    this.#bytes += written;
    if (written === 0 && left.length > 0 && writer.isClosed) {
      throw new Problem('stdin-closed', { detail: 'the process has closed its input' });
    }
    if (end && written === left.length) await this.#end(writer, deadline);
    return { ...this.accepted, taken: Math.min(known, bytes.length) + written };
  }

  async #end(writer: DescriptorWriter, deadline: number): Promise<void> {
    if (this.#isTerminal) {
      await writer.write(endOfTransmission, deadline);
      return;
    }
    this.#ended = true;
    writer.close();
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting += 1;
    const turn = this.#last.then(work).finally(() => {
      this.#waiting -= 1;
    });
    this.#last = turn.catch(() => {});
    return turn;
  }
}
