import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createAutoSnapshots } from './auto-snapshots.ts';

const snapshotMs = 50;

/**
 * Saves three contexts, each of which takes a while and turns out to be gone. Returns the times between the beginnings, in milliseconds, and
 * how many ran at once.
 */
async function saveThree({ isBusy }: { isBusy: boolean }): Promise<{ gaps: number[]; atOnce: number }> {
  const begun: number[] = [];
  let [saving, atOnce] = [0, 0];
  const running: Promise<unknown>[] = [];
  const snapshots = createAutoSnapshots({
    machine: { processors: 2, begin() {}, end() {}, watch() {}, isBusy: () => isBusy },
    async findRoute() {
      begun.push(performance.now());
      saving += 1;
      atOnce = Math.max(atOnce, saving);
      await delay(snapshotMs);
      saving -= 1;
      return null;
    },
    background: (work: Promise<unknown>) => void running.push(work),
    log: { warn() {} },
  } as unknown as Parameters<typeof createAutoSnapshots>[0]);
  for (const sessionId of ['a', 'b', 'c']) snapshots.note({ sessionId, contextId: 'python', language: 'python' });
  await vi.waitUntil(() => begun.length === 3, { timeout: 10_000 });
  await Promise.all(running);
  snapshots.close();
  return { gaps: begun.slice(1).map((at, index) => at - (begun[index] ?? 0)), atOnce };
}

test('snapshots wait for each other while the machine is busy', async () => {
  // Three hundredths of the time of two processors.
  const waitMs = snapshotMs / (0.03 * 2);
  const { gaps } = await saveThree({ isBusy: true });
  for (const gap of gaps) expect(gap).toBeGreaterThan(0.9 * waitMs);
});

test('two snapshots run at once on a machine with time to spare', async () => {
  expect((await saveThree({ isBusy: false })).atOnce).toBe(2);
});

test('on a busy machine the context that waited longest is saved first, though others change all the time', async () => {
  const noted = Array.from({ length: 16 }, (_, index) => `session-${index}`);
  const begun: string[] = [];
  const snapshots = createAutoSnapshots({
    machine: { processors: 2, begin() {}, end() {}, watch() {}, isBusy: () => true },
    async findRoute(sessionId: string) {
      begun.push(sessionId);
      await delay(5);
      return null;
    },
    background: (work: Promise<unknown>) => void work,
    log: { warn() {} },
  } as unknown as Parameters<typeof createAutoSnapshots>[0]);
  for (const sessionId of noted) {
    snapshots.note({ sessionId, contextId: 'python', language: 'python' });
    await delay(20);
  }
  await vi.waitUntil(() => begun.length === noted.length, { timeout: 20_000 });
  snapshots.close();
  expect(begun).toEqual(noted);
});
