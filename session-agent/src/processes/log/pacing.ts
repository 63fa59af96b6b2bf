import type { LogReader, ProcessLog } from './process-log.ts';

const behindBytesMax = 256 * 1024;
const stalledMsMax = 30_000;

/** Lets a process wait for its readers, as a program waits for a slow terminal. */
export class Pacing {
  #log: Pick<ProcessLog, 'position'>;
  #behindMax: () => number;
  #readers = new Map<LogReader, NodeJS.Timeout | null>();
  #onCaughtUp = () => {};

  /** `bytesMax`: the memory of the log, of which a reader has to be able to get the last half. */
  constructor(log: Pick<ProcessLog, 'position'>, { bytesMax }: { bytesMax: () => number }) {
    this.#log = log;
    this.#behindMax = () => Math.min(behindBytesMax, bytesMax() / 2);
  }

  /** Whether a reader is so far behind that no more output should be read. If so, `onCaughtUp` is called when that has changed. */
  waits(onCaughtUp: () => void): boolean {
    this.#onCaughtUp = onCaughtUp;
    const behind = this.#behind();
    for (const reader of behind) if (!this.#readers.get(reader)) this.#readers.set(reader, this.#stallTimer(reader));
    return behind.length > 0;
  }

  /** Call `moved` when the reader has got something, and `leave` when it is gone. A reader that gets nothing for long is no longer waited for. */
  join(reader: LogReader): { moved(): void; leave(): void } {
    this.#readers.set(reader, null);
    return {
      leave: () => this.#leave(reader),
      moved: () => {
        const timer = this.#readers.get(reader);
        if (!timer) return;
        clearTimeout(timer);
        this.#readers.set(reader, this.#isBehind(reader) ? this.#stallTimer(reader) : null);
        if (this.#behind().length === 0) this.#onCaughtUp();
      },
    };
  }

  /** From now on no reader is waited for. */
  end(): void {
    for (const reader of [...this.#readers.keys()]) this.#leave(reader);
  }

  #leave(reader: LogReader): void {
    clearTimeout(this.#readers.get(reader) ?? undefined);
    this.#readers.delete(reader);
    if (this.#behind().length === 0) this.#onCaughtUp();
  }

  #stallTimer = (reader: LogReader) => setTimeout(() => this.#leave(reader), stalledMsMax).unref();
  #isBehind = ({ position }: LogReader) => this.#log.position - position > this.#behindMax();
  #behind = () => (this.#readers.size === 0 ? [] : [...this.#readers.keys()].filter(this.#isBehind));
}
