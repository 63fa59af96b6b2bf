import { expect, test } from 'vitest';
import { cutTo, padTo, widthOf } from './text-width.ts';

test.each([
  ['plain', 5],
  ['日本語', 6],
  ['ｆｕｌｌ', 8],
  ['e\u0301', 1],
  ['🙂', 2],
  ['', 0],
])('%s takes %i columns', (text, width) => {
  expect(widthOf(text)).toBe(width);
});

test('spaces fill the columns that are left', () => {
  expect(padTo('日本', 6)).toBe('日本  ');
});

test.each([
  ['short', 5, 'short'],
  ['too long', 5, 'too …'],
  ['日本語', 5, '日本…'],
  ['日本語', 4, '日…'],
  ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
])('%s in %i columns is %s', (text, width, cut) => {
  expect(cutTo(text, width)).toBe(cut);
});
