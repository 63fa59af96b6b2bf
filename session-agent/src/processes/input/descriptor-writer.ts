import { closeSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const waitMsMin = 1;
const waitMsMax = 64;

type Reader = { readonly destroyed: boolean };

/** A descriptor that does not block. Nothing is held back here: bytes are with the system or still with the caller. */
export class DescriptorWriter {
  #descriptor: number | null;
  #reader: Reader | null;

  /** `sharedWith`: the reader of the same descriptor, which closes it. Its number may be that of another file from then on. */
  constructor(descriptor: number, { sharedWith }: { sharedWith: Reader | null }) {
    this.#descriptor = descriptor;
    this.#reader = sharedWith;
  }

  get isClosed(): boolean {
    return this.#descriptor === null || this.#reader?.destroyed === true;
  }

  /** Resolves with how many bytes the other side had room for, until `deadline` (of performance.now) or until it was closed. */
  async write(bytes: Uint8Array, deadline: number): Promise<number> {
    let written = 0;
    for (let waitMs = waitMsMin; ; waitMs = Math.min(waitMs * 2, waitMsMax)) {
      const before = written;
      while (written < bytes.length) {
        const more = this.#writeNow(bytes.subarray(written));
        if (more === 0) break;
        written += more;
      }
      if (written > before) waitMs = waitMsMin;
      if (written === bytes.length || this.isClosed || performance.now() >= deadline) return written;
      await sleep(waitMs, undefined, { ref: false });
    }
  }

  close(): void {
    if (this.#descriptor !== null && !this.#reader) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  #writeNow(bytes: Uint8Array): number {
    if (this.#descriptor === null || this.isClosed) return 0;
    try {
      return writeSync(this.#descriptor, bytes);
    } catch (error) {
      // Anything else than a full buffer means that the other side is gone.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') this.close();
      return 0;
    }
  }
}
