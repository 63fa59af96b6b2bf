import { setTimeout as wait } from 'node:timers/promises';

/** Waits for a condition, checked every few milliseconds; fails and names `what` if it does not hold by the deadline. */
export async function until(what: string, condition: () => boolean | Promise<boolean>, ms = 5000): Promise<void> {
  const deadline = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${ms} ms`);
    await wait(5);
  }
}
