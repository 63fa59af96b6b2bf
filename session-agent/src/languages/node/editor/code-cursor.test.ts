import { expect, test } from 'vitest';

// By its URL, since the kernel's JavaScript has no types.
const { readBefore, readName } = await import(new URL('./code-cursor.js', import.meta.url).href);
const { loadLibraries } = await import(new URL('../read/load-libraries.js', import.meta.url).href);
await loadLibraries();

test.for<[string, unknown]>([
  ['ab', { path: [], partial: 'ab', isMember: false }],
  ['1 + a.b?.c', { path: ['a', 'b'], partial: 'c', isMember: true }],
  ['a .', { path: ['a'], partial: '', isMember: true }],
  ["'x'.le", { isText: true, path: [], partial: 'le', isMember: true }],
  ['f().x', null],
  ["'ab", null],
  ['`a $', null],
  ['// ab', null],
  ['/* ab', null],
  ["import a from './b/c", { specifier: './b/c', partial: 'c' }],
  ['require("no', { specifier: 'no', partial: 'no' }],
])('reads the name before the cursor: %s', ([code, expected]) => {
  expect(readBefore(code, [...code].length)).toEqual(expected);
});

test.for<[string, number, unknown]>([
  ['abc', 1, ['abc']],
  ['a.bcd.e', 4, ['a', 'bcd']],
  ['f(1, ', 5, ['f']],
  ['😀 + a', 5, ['a']],
  ['f().a', 5, null],
  ["'abc", 3, null],
])('reads the name at the cursor: %s, %s', ([code, cursor, expected]) => {
  expect(readName(code, cursor)).toEqual(expected);
});
