import { closeSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const waitMsMin = 1;
const waitMsMax = 64;

/** A descriptor that does not block. Nothing is held back here: bytes are with the system or still with the caller. */
export class DescriptorWriter {
  #descriptor: number | null;
  #ownsDescriptor: boolean;

  /** `isShared`: a reader of the same descriptor closes it. */
  constructor(descriptor: number, { isShared }: { isShared: boolean }) {
    this.#descriptor = descriptor;
    this.#ownsDescriptor = !isShared;
  }

  get isClosed(): boolean {
    return this.#descriptor === null;
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
    if (this.#descriptor !== null && this.#ownsDescriptor) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  #writeNow(bytes: Uint8Array): number {
    if (this.#descriptor === null) return 0;
    try {
      return writeSync(this.#descriptor, bytes);
    } catch (error) {
      // Anything else than a full buffer means that the other side is gone.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') this.close();
      return 0;
    }
  }
}
