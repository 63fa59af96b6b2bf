import type { FifoReader } from '../kernel-process/fifo-reader.ts';
import { settledWithin } from '../kernel-process/settled-within.ts';
import type { OutputStream } from './log/block.ts';
import type { Pacing } from './log/pacing.ts';
import type { ProcessLog } from './log/process-log.ts';

const drainMsMax = 500;

type Dependencies = { log: Pick<ProcessLog, 'output'>; pacing: Pick<Pacing, 'waits'> };

/** Reads the output of a process into its log, as fast as the readers that it waits for. */
export class ProcessOutput {
  /** Resolves when no process has the streams open any more. */
  readonly closed: Promise<unknown>;
  #readers: readonly FifoReader[];
  #isPaused = false;
  #isMuted = false;

  constructor({ log, pacing }: Dependencies, readers: ReadonlyMap<OutputStream, FifoReader>) {
    this.#readers = [...readers.values()];
    this.closed = Promise.all(this.#readers.map((reader) => new Promise((resolve) => reader.once('close', resolve))));
    const resume = () => {
      if (!this.#isPaused) return;
      this.#isPaused = false;
      for (const reader of this.#readers) reader.resume();
    };
    for (const [stream, reader] of readers) {
      reader.on('error', () => {});
      reader.listen((bytes) => {
        if (this.#isMuted) return;
        log.output(stream, bytes);
        if (this.#isPaused || !pacing.waits(resume)) return;
        this.#isPaused = true;
        for (const one of this.#readers) one.pause();
      });
    }
  }

  /**
   * Waits for the rest, when the program has ended. Resolves with whether all of it came: a process that it left behind may have the
   * streams open for as long as it likes.
   */
  async drain(): Promise<boolean> {
    for (;;) {
      if (await settledWithin(this.closed, drainMsMax)) return true;
      if (!this.#isPaused) return false;
    }
  }

  /** From now on output is read and dropped. A closed reader would kill the processes that write. */
  mute(): void {
    this.#isMuted = true;
  }

  close(): void {
    for (const reader of this.#readers) reader.destroy();
  }
}
