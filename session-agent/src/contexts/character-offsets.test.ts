import { expect, test } from 'vitest';
import { charactersBefore, unitsBefore } from './character-offsets.ts';

const code = 'a𝒳é😀b';

test('converts offsets both ways', () => {
  const units = [0, 1, 3, 4, 6, 7];
  expect(units.map((unit) => charactersBefore(code, unit))).toEqual([0, 1, 2, 3, 4, 5]);
  expect(units.map((_, characters) => unitsBefore(code, characters))).toEqual(units);
});

test('rounds an offset within a character or after the end down to the nearest one', () => {
  expect([charactersBefore(code, 2), charactersBefore(code, 5), charactersBefore(code, 99)]).toEqual([1, 3, 5]);
  expect([unitsBefore(code, 99), unitsBefore('', 1)]).toEqual([7, 0]);
});

test('counts half a surrogate pair as one character', () => {
  expect([charactersBefore('\ud83dx', 1), unitsBefore('\ud83dx', 1)]).toEqual([1, 1]);
});
