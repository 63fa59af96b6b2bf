import { expect, test } from 'vitest';
import type { Sample } from '../measure/sample.ts';
import { summarize } from '../measure/summarize.ts';
import { beyondBound } from './beyond-bound.ts';

/** Rounds in which the product has `factors` times the value of a peer. */
const rounds = (factors: number[], of: Partial<Sample> = {}) =>
  summarize(
    factors.flatMap((factor, round): Sample[] => {
      const all = { scenario: 's', case: 'one print', metric: 'latency', unit: 'ms', round, ...of } as const;
      return [
        { ...all, peer: of.peer ?? 'yardstick', value: 2 },
        { ...all, peer: 'Holdfast', value: 2 * factor },
      ];
    }),
  );

test('a latency beyond the bound in all rounds is a fault', () => {
  expect(beyondBound(rounds([6, 7, 7, 8]))).toEqual(['s, one print: Holdfast / yardstick is 6.00 to 8.00']);
});

test('a few slow rounds are accepted', () => {
  expect(beyondBound(rounds([2, 7, 8, 9, 9, 9]))).toEqual([]);
  expect(beyondBound(rounds([2, 2, 2, 2]))).toEqual([]);
});

test('a rate below a fifth in all rounds is a fault, and a high one is not', () => {
  const rate = { metric: 'throughput', unit: '1/s' } as const;
  expect(beyondBound(rounds([0.1, 0.15, 0.12, 0.1], rate))).toHaveLength(1);
  expect(beyondBound(rounds([0.1, 0.1, 0.4, 0.5], rate))).toEqual([]);
  expect(beyondBound(rounds([9, 9, 9, 9], rate))).toEqual([]);
});

test('a ratio counts only if both do the same work', () => {
  expect(beyondBound(rounds([9, 9, 9, 9], { peer: 'raw pipe' }))).toEqual([]);
  expect(beyondBound(rounds([9, 9, 9, 9], { case: '1 MB' }))).toEqual([]);
  expect(beyondBound(rounds([9, 9, 9, 9], { metric: 'cpu-total' }))).toEqual([]);
});

test('three rounds are too few for a verdict', () => {
  expect(beyondBound(rounds([9, 9, 9]))).toEqual([]);
});

test('a million rows that take far longer than a thousand are a fault', () => {
  const of = { scenario: 'registry', case: 'route, hit', metric: 'latency', unit: 'ms', base: '1,000 rows' } as const;
  const samples = [0, 1, 2, 3].flatMap((round) => [
    { ...of, peer: '1,000 rows', round, value: 1 },
    { ...of, peer: '1,000,000 rows', round, value: 9 },
  ]);
  expect(beyondBound(summarize(samples))).toHaveLength(1);
});
