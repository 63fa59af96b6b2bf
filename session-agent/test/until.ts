import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for a condition; fails, naming it, when the deadline is over. */
export async function until(what: string, condition: () => unknown, deadlineMs = 10_000): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`still waiting for: ${what}`);
    await sleep(5);
  }
}
