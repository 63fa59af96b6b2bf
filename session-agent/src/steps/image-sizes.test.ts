import { expect, test } from 'vitest';
import { withImageSizes } from './image-sizes.ts';

/** A PNG of 3 x 2 pixels up to the end of its header. */
const png = Buffer.from('89504e470d0a1a0a0000000d4948445200000003000000020806000000', 'hex').toString('base64');
/** A JPEG of 5 x 4 pixels: two segments, then the one with the size. */
const jpeg = Buffer.from('ffd8ffe000044a46ffdb000400ffffc0001108000400050301', 'hex').toString('base64');
const shown = (data: Record<string, string>, metadata = {}) => withImageSizes({ data, metadata }).metadata;

test('a result says how large its images are', () => {
  expect(shown({ 'image/png': png, 'text/plain': 'x' })).toEqual({ 'image/png': { width: 3, height: 2 } });
  expect(shown({ 'image/jpeg': jpeg })).toEqual({ 'image/jpeg': { width: 5, height: 4 } });
});

test('the size that the code has chosen stays, and other metadata, too', () => {
  const metadata = { 'image/png': { width: 30, unit: 'px' }, other: 1 };
  expect(shown({ 'image/png': png }, metadata)).toEqual({
    'image/png': { width: 30, height: 2, unit: 'px' },
    other: 1,
  });
  expect(shown({ 'image/png': png }, { 'image/png': 'text' })).toEqual({ 'image/png': 'text' });
});

test.each([
  '',
  'AAAA',
  png.slice(0, 20),
  Buffer.from('ffd8ff', 'hex').toString('base64'),
  Buffer.from('ffd8ffe0ffff', 'hex').toString('base64'),
  '\0'.repeat(99),
])('nothing but an image has a size: %j', (image) => {
  const bundle = { data: { 'image/png': image, 'image/jpeg': image }, metadata: {} };
  expect(withImageSizes(bundle)).toBe(bundle);
});
