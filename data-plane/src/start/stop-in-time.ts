import { setTimeout as delay } from 'node:timers/promises';

type StopLimits = {
  /** Once it is given, the waiting is over after a second. */
  force: AbortSignal;
  ms?: number;
};

const forcedMs = 1000;

/**
 * Waits for a part of the stop, but not for ever: what it needs may be gone, and the rest is to be stopped all the same.
 * @throws Error where the time is over; what `work` throws
 */
export async function stopInTime<T>(work: () => Promise<T>, { force, ms = 15_000 }: StopLimits): Promise<T> {
  const settled = new AbortController();
  const { signal } = settled;
  const deadline = delay(ms, undefined, { signal });
  const forced = new Promise<void>((resolve) => {
    if (force.aborted) resolve();
    else force.addEventListener('abort', () => resolve(), { signal, once: true });
  }).then(() => delay(forcedMs, undefined, { signal }));
  const late = Promise.race([deadline, forced]).then(() => {
    throw new Error('a part of the stop took too long and was left to itself');
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    for (const timer of [deadline, forced, late]) timer.catch(() => {});
    settled.abort();
  }
}
