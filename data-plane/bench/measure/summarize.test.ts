import { expect, test } from 'vitest';
import { bandOf, quantile } from './quantile.ts';
import type { Sample } from './sample.ts';
import { ratiosInRounds, summarize } from './summarize.ts';

const sample = (peer: string, round: number, value: number): Sample => ({
  ...{ scenario: 'latency', case: 'one print', metric: 'latency', unit: 'ms' },
  ...{ peer, round, value },
});

test('a quantile is the value of its rank', () => {
  const values = Array.from({ length: 100 }, (_, i) => 100 - i);
  expect([0, 0.1, 0.5, 0.99, 1].map((q) => quantile(values, q))).toEqual([1, 11, 51, 100, 100]);
  expect(bandOf([3])).toEqual({ p10: 3, p50: 3, p90: 3 });
  expect(quantile([], 0.5)).toBeNaN();
});

test('a ratio compares the medians of the same round', () => {
  const ours = [
    sample('Holdfast', 0, 2),
    sample('Holdfast', 0, 4),
    sample('Holdfast', 0, 100),
    sample('Holdfast', 1, 30),
  ];
  const theirs = [sample('yardstick', 0, 2), sample('yardstick', 1, 10), sample('yardstick', 2, 7)];
  expect(ratiosInRounds(ours, theirs)).toEqual([2, 3]);
});

test('a machine that slows down for a round does not change the ratio', () => {
  const speeds = [1, 1, 10, 1, 3];
  const samples = speeds.flatMap((factor, round) => [
    sample('yardstick', round, factor),
    sample('Holdfast', round, 2 * factor),
  ]);
  const [own, peer] = summarize(samples);
  expect(own).toMatchObject({ peer: 'Holdfast', count: 5, p50: 2, p99: 20, ratio: null });
  expect(peer).toMatchObject({
    peer: 'yardstick',
    p50: 1,
    ratio: { of: 'Holdfast / yardstick', rounds: 5, p10: 2, p50: 2, p90: 2 },
  });
});

test('a peer without a round of the product has no ratio', () => {
  expect(summarize([sample('yardstick', 0, 1)])[0]?.ratio).toBeNull();
});

test('a peer with a base is divided by it', () => {
  const of = (peer: string, value: number) => ({ ...sample(peer, 0, value), base: '16 sessions' });
  const summaries = summarize([of('1,000 sessions', 6), of('16 sessions', 3), of('100 sessions', 4)]);
  expect(summaries.map(({ peer, ratio }) => [peer, ratio?.of, ratio?.p50])).toEqual([
    ['16 sessions', undefined, undefined],
    ['100 sessions', '100 sessions / 16 sessions', 4 / 3],
    ['1,000 sessions', '1,000 sessions / 16 sessions', 2],
  ]);
});
