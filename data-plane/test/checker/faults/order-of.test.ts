import { expect, test } from 'vitest';
import { createRandom } from '../random.ts';
import { lanes } from './fault.ts';
import { orderOf } from './run-faults.ts';

const kinds = lanes.postgres;

function first(count: number, seed: string): string[] {
  const order = orderOf(kinds, createRandom(seed));
  return Array.from({ length: count }, () => order.next().value ?? 'none');
}

test('the same seed gives the same order, and another seed another', () => {
  expect(first(40, '1')).toEqual(first(40, '1'));
  expect(first(40, '1')).not.toEqual(first(40, '2'));
});

test('every kind comes once before any comes again', () => {
  const order = first(kinds.length * 2, '1');
  for (const round of [order.slice(0, kinds.length), order.slice(kinds.length)]) {
    expect(round.toSorted()).toEqual(kinds.toSorted());
  }
});
