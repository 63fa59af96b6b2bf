import { expect, test } from 'vitest';
import { createRandom, shuffled } from './random.ts';

const drawn = (seed: number) => Array.from({ length: 1000 }, createRandom(seed));

test('the same seed gives the same numbers, and another seed gives others', () => {
  expect(drawn(7)).toEqual(drawn(7));
  expect(drawn(7)).not.toEqual(drawn(8));
});

test('the numbers are spread over the whole range', () => {
  const tenths = Map.groupBy(drawn(1), (value) => Math.floor(value * 10));
  expect([...tenths.keys()].toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  for (const values of tenths.values()) expect(values.length).toBeGreaterThan(60);
});

test('every item comes first about equally often', () => {
  const random = createRandom(3);
  const firsts = Map.groupBy(
    Array.from({ length: 3000 }, () => shuffled(['a', 'b', 'c'], random)),
    ([first]) => first,
  );
  expect(firsts.size).toBe(3);
  for (const orders of firsts.values()) expect(orders.length).toBeGreaterThan(850);
});
