import { expect, test } from 'vitest';
import { chooseScale } from './scale.ts';

test('values of one order get a linear axis from 0', () => {
  const { at, ticks } = chooseScale([3, 9.5]);
  expect(ticks).toEqual([0, 2, 4, 6, 8, 10]);
  expect([at(0), at(5), at(10)]).toEqual([0, 0.5, 1]);
});

test('values that are far apart get powers of ten', () => {
  const { at, ticks } = chooseScale([0.2, 45]);
  expect(ticks).toEqual([0.1, 1, 10, 100]);
  expect(at(0.1)).toBeCloseTo(0);
  expect(at(1)).toBeCloseTo(1 / 3);
  expect(at(100)).toBeCloseTo(1);
});

test('every value lies on the axis, also zero and a single one', () => {
  for (const values of [[0], [7], [0, 0.004], [0, 1, 1e6]]) {
    const { at } = chooseScale(values);
    for (const value of values) {
      expect(at(value)).toBeGreaterThanOrEqual(0);
      expect(at(value)).toBeLessThanOrEqual(1);
    }
  }
});
