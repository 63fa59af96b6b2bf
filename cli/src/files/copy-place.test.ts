import { expect, test } from 'vitest';
import { parseCopyPlace } from './copy-place.ts';

test.each([
  ['data.csv', { path: 'data.csv' }],
  ['-', { path: '-' }],
  ['ses_1:data.csv', { session: 'ses_1', path: 'data.csv' }],
  ['notebook-7:', { session: 'notebook-7', path: '' }],
  ['notebook-7:/tmp/a:b', { session: 'notebook-7', path: '/tmp/a:b' }],
  ['./a:b', { path: './a:b' }],
  ['/a:b', { path: '/a:b' }],
  ['C:\\data', { path: 'C:\\data' }],
])('reads %s', (value, place) => {
  expect(parseCopyPlace(value)).toEqual(place);
});
