import { setTimeout as delay } from 'node:timers/promises';

type Duty = { everyMs: number; run: () => Promise<void>; onError: (error: unknown) => void };

/** Repeats a duty, one turn at a time, until the signal; the first turn is at once. Resolves after the last turn. */
export async function runPeriodically({ everyMs, run, onError }: Duty, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await run().catch(onError);
    await delay(everyMs, undefined, { signal }).catch(() => {});
  }
}
