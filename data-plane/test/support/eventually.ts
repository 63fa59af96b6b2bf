import { setTimeout as delay } from 'node:timers/promises';

/** Repeats `check` until it no longer throws, and throws what it threw last once the time is over. */
export async function eventually<T>(check: () => T | Promise<T>, withinMs = 10_000, everyMs = 5): Promise<T> {
  for (const deadline = Date.now() + withinMs; ; await delay(everyMs)) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}
