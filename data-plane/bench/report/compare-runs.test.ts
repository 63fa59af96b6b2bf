import { expect, test } from 'vitest';
import type { Sample } from '../measure/sample.ts';
import { summarize } from '../measure/summarize.ts';
import { compareSummaries } from './compare-runs.ts';

/** Rounds in which the product takes `factors` times as long as the yardstick. */
const run = (factors: number[], machine = 1) =>
  summarize(
    factors.flatMap((factor, round): Sample[] => {
      const of = { scenario: 'latency', case: 'one print', metric: 'latency', unit: 'ms', round } as const;
      return [
        { ...of, peer: 'yardstick', value: machine },
        { ...of, peer: 'Holdfast', value: machine * factor },
      ];
    }),
  );

test('a slower machine does not show as a change', () => {
  const [only, ...more] = compareSummaries(run([2, 2, 2]), run([2, 2, 2], 5));
  expect(only).toMatchObject({ name: 'latency: one print', of: 'Holdfast / yardstick', change: 1, overlap: true });
  expect(more).toEqual([]);
});

test('bands that do not touch are apart', () => {
  expect(compareSummaries(run([2, 2.1, 2.2]), run([1, 1.1, 1.2]))[0]).toMatchObject({ overlap: false });
  expect(compareSummaries(run([2, 2.1, 2.2]), run([1, 1.9, 2.05]))[0]).toMatchObject({ overlap: true });
});

test('a case that only one run has is left out', () => {
  expect(compareSummaries(run([2]), [])).toEqual([]);
});
