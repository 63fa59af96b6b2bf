import { setTimeout as delay } from 'node:timers/promises';
import { withDeadline } from './with-deadline.ts';

type Duty = { everyMs: number; deadlineMs: number; run: () => Promise<void>; onError: (error: unknown) => void };

/**
 * Repeats a duty, one run at a time, until the signal aborts; the first run is at once. A run that hangs is left behind at its deadline.
 * Resolves after the last run.
 */
export async function runPeriodically({ everyMs, deadlineMs, run, onError }: Duty, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await withDeadline(run(), { ms: deadlineMs, what: 'a periodic duty' }).catch(onError);
    await delay(everyMs, undefined, { signal }).catch(() => {});
  }
}
