import { setTimeout as delay } from 'node:timers/promises';

const pauseMsMin = 5;

/**
 * Repeats `check` until it no longer throws, and throws what it threw last once the time is over. Pauses as long as the check took, so
 * that a check which starts a program leaves the machine to the thing that it waits for.
 */
export async function eventually<T>(check: () => T | Promise<T>, withinMs = 10_000): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const checkedAt = performance.now();
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await delay(Math.max(pauseMsMin, performance.now() - checkedAt));
  }
}
