import { expect, test } from 'vitest';
import { byteRange } from './byte-range.ts';
import { Problem } from './problems.ts';

test.each([
  ['bytes=0-3', { start: 0, end: 4 }],
  ['bytes=4-', { start: 4, end: 10 }],
  ['bytes=-3', { start: 7, end: 10 }],
  ['bytes=-30', { start: 0, end: 10 }],
  ['bytes=8-99', { start: 8, end: 10 }],
  ['bytes=9-9', { start: 9, end: 10 }],
  [undefined, null],
  ['', null],
  ['bytes=-', null],
  ['bytes=5-4', null],
  ['bytes=0-1,4-5', null],
  ['lines=0-1', null],
  ['bytes=a-b', null],
])('a header %j of a ten-byte file asks for %j', (header, range) => {
  expect(byteRange(header, 10)).toEqual(range);
});

test.each([
  ['bytes=10-', 10],
  ['bytes=10-12', 10],
  ['bytes=-0', 10],
  ['bytes=0-', 0],
  ['bytes=-5', 0],
])('rejects the range %s of a file of %i bytes', (header, size) => {
  expect(() => byteRange(header, size)).toThrow(Problem);
});
