import { expect, test } from 'vitest';
import { inexactNumberIn } from './exact-numbers.ts';

test.each([
  ['[9007199254740993]', '9007199254740993'],
  ['[1, -9007199254740992]', '-9007199254740992'],
  ['{"a": [1e400]}', '1e400'],
  ['-1E+999', '-1E+999'],
  [`[${'9'.repeat(400)}]`, '9'.repeat(400)],
  ['["1e400", "a\\"9007199254740993", 9007199254740995]', '9007199254740995'],
])('finds the number in %s that would be changed', (json, number) => {
  expect(inexactNumberIn(json)).toBe(number);
});

test.each(['[9007199254740991, -9007199254740991]', '[0.1, 1e22, 1.5E-400, -0]', '"9007199254740993"', '"\\\\"', '[]'])(
  'finds none in %s',
  (json) => {
    expect(inexactNumberIn(json)).toBeNull();
  },
);
