import { expect, test } from 'vitest';
import { arrivalTimes } from './arrival-times.ts';
import { createRandom } from './random.ts';

test('as many arrive as the rate says, at random times in order', () => {
  const times = arrivalTimes(createRandom(1), { perSecond: 50, seconds: 200 });
  expect(times.length).toBeGreaterThan(9700);
  expect(times.length).toBeLessThan(10_300);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times.at(-1)).toBeLessThan(200_000);
});

test('the gaps are as uneven as those of independent clients: 63 % are shorter than the mean', () => {
  const times = arrivalTimes(createRandom(2), { perSecond: 100, seconds: 100 });
  const gaps = times.map((time, i) => time - (times[i - 1] ?? 0));
  const share = gaps.filter((gap) => gap < 10).length / gaps.length;
  expect(share).toBeGreaterThan(0.6);
  expect(share).toBeLessThan(0.66);
});
