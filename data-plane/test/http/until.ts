import { setTimeout as pause } from 'node:timers/promises';

/** Waits until a condition holds. @throws after `deadlineMs`, with its text. */
export async function until(condition: () => boolean, what: string, deadlineMs = 5000): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`not within ${deadlineMs} ms: ${what}`);
    await pause(2);
  }
}
