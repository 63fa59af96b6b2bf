import { setTimeout as delay } from 'node:timers/promises';
import { withDeadline } from './with-deadline.ts';

type Duty = { everyMs: number; deadlineMs: number; run: () => Promise<void>; onError: (error: unknown) => void };

/**
 * Repeats a duty, one turn at a time, until the signal; the first turn is at once. A turn that hangs is left to itself at its
 * deadline. Resolves after the last turn.
 */
export async function runPeriodically({ everyMs, deadlineMs, run, onError }: Duty, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await withDeadline(run(), { ms: deadlineMs, what: 'a turn' }).catch(onError);
    await delay(everyMs, undefined, { signal }).catch(() => {});
  }
}
