import { expect, test } from 'vitest';
import { parseQuantity } from './parse-quantity.ts';

test.for([
  ['500m', 0.5],
  ['2', 2],
  ['0.5', 0.5],
  ['512Mi', 512 * 2 ** 20],
  ['1k', 1000],
  ['3E', 3e18],
  ['1Ei', 2 ** 60],
  ['1K', null],
  ['-1', null],
  ['1e3', null],
  ['', null],
] as const)('parses %s as %s', ([text, number]) => {
  expect(parseQuantity(text)).toBe(number);
});
