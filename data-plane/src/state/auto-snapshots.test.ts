import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createAutoSnapshots } from './auto-snapshots.ts';

const snapshotMs = 50;

/** Saves three contexts, each of which takes a while and turns out to be gone. Returns the times between the beginnings, in milliseconds. */
async function gapsBetweenSaves({ isBusy }: { isBusy: boolean }): Promise<number[]> {
  const begun: number[] = [];
  const running: Promise<unknown>[] = [];
  const snapshots = createAutoSnapshots({
    machine: { processors: 2, begin() {}, end() {}, watch() {}, isBusy: () => isBusy },
    async findRoute() {
      begun.push(performance.now());
      await delay(snapshotMs);
      return null;
    },
    background: (work: Promise<unknown>) => void running.push(work),
    log: { warn() {} },
  } as unknown as Parameters<typeof createAutoSnapshots>[0]);
  for (const sessionId of ['a', 'b', 'c']) snapshots.note({ sessionId, contextId: 'python', language: 'python' });
  await vi.waitUntil(() => begun.length === 3, { timeout: 10_000 });
  await Promise.all(running);
  snapshots.close();
  return begun.slice(1).map((at, index) => at - (begun[index] ?? 0));
}

test('snapshots wait for each other while the machine is busy', async () => {
  // A twentieth of the time of two processors.
  const waitMs = snapshotMs / (0.05 * 2);
  for (const gap of await gapsBetweenSaves({ isBusy: true })) expect(gap).toBeGreaterThan(0.9 * waitMs);
});

test('two snapshots run at once on a machine with time to spare', async () => {
  const [first = 0] = await gapsBetweenSaves({ isBusy: false });
  expect(first).toBeLessThan(snapshotMs);
});
