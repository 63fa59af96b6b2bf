import { setTimeout as delay } from 'node:timers/promises';

type StopLimits = {
  /** Once it is aborted, the wait ends after a second. */
  force: AbortSignal;
  ms?: number;
};

const forcedMs = 1000;

/**
 * Waits for a part to stop, but not forever: it may need something that is gone, and the other parts must be stopped all the same.
 * @throws Error when the time is over, and the error of `work`
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
    throw new Error('a part of the data-plane took too long to stop and was abandoned');
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    for (const timer of [deadline, forced, late]) timer.catch(() => {});
    settled.abort();
  }
}
