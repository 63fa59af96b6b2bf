import { expect, test } from 'vitest';
import { createBackOff } from './back-off.ts';

/** How long each of the failures in a row is waited for. */
function waits(failures: number, atLeastMs?: number): number[] {
  const backOff = createBackOff({ firstMs: 500, maxMs: 30_000 });
  let nowMs = 0;
  return Array.from({ length: failures }, () => {
    const failedAtMs = nowMs;
    backOff.failed(nowMs, atLeastMs);
    while (backOff.waits(nowMs)) nowMs += 100;
    return nowMs - failedAtMs;
  });
}

test('waits twice as long after each failure in a row, up to the maximum', () => {
  expect(waits(8)).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
});

test('waits as long as the other side asks for, up to the maximum', () => {
  expect(waits(3, 1500)).toEqual([1500, 1500, 2000]);
  expect(waits(1, 3_600_000)).toEqual([30_000]);
});

test('tries that fail together count once', () => {
  const backOff = createBackOff({ firstMs: 500, maxMs: 30_000 });
  for (const nowMs of [0, 1, 2, 3]) backOff.failed(nowMs);
  expect(backOff.waits(499)).toBe(true);
  expect(backOff.waits(500)).toBe(false);
});

test('a success ends the wait and starts from the first delay again', () => {
  const backOff = createBackOff({ firstMs: 500, maxMs: 30_000 });
  backOff.failed(0);
  backOff.failed(500);
  expect(backOff.failing).toBe(true);
  backOff.succeeded();
  expect([backOff.failing, backOff.waits(501)]).toEqual([false, false]);
  backOff.failed(600);
  expect(backOff.waits(1100)).toBe(false);
});
