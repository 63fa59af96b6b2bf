import type { CallOptions } from '../../http/create-api.ts';
import type { Process } from '../../processes/process.ts';

/** The input of a command that may not read it. It goes in order, and makes no caller wait. */
export function createInput(process: Process, { signal }: CallOptions = {}) {
  const stop = new AbortController();
  const ends = AbortSignal.any(signal ? [signal, stop.signal] : [stop.signal]);
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;
  let failure: unknown = null;
  const send = async (text: string) => {
    // Nothing is to get behind a piece that was lost.
    if (failure === null) await process.write(text, { signal: ends });
  };
  return {
    add(text: string): void {
      waiting += 1;
      last = last
        .then(() => send(text))
        .catch((error) => {
          failure = error;
        })
        .finally(() => {
          waiting -= 1;
        });
    },
    /** Whether some of it is not taken yet. */
    waits: () => waiting > 0,
    /** Why some of it did not arrive; null if all did. It is told once. */
    takeFailure(): unknown {
      const told = failure;
      failure = null;
      return told;
    },
    /** The command has ended or is to end. */
    stop: () => stop.abort(),
  };
}
