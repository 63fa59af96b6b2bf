import { expect, test } from 'vitest';
import { attemptsMax, retryDelayMs } from './retry-delay.ts';

test('the wait doubles up to six hours, at least half of it certain, and ends after the last attempt', () => {
  const waits = (chance: number) =>
    Array.from({ length: attemptsMax }, (_, before) => retryDelayMs({ attempts: before + 1, chance }));
  expect(waits(1).slice(0, 4)).toEqual([2000, 4000, 8000, 16_000]);
  expect(waits(0).slice(0, 4)).toEqual([1000, 2000, 4000, 8000]);
  expect(waits(1).at(-1)).toBeNull();
  expect(Math.max(...waits(1).map(Number))).toBe(6 * 3600_000);
  expect(waits(1).reduce((sum: number, wait) => sum + Number(wait), 0)).toBeGreaterThan(12 * 3600_000);
});
