import { expect, test } from 'vitest';
import { imageTypeOf } from './image-type.ts';
import { imagesOf } from './shown-results.ts';

const png = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
const jpeg = Buffer.from('\xff\xd8\xff\xe0\0\x10JFIF', 'latin1');
const webp = Buffer.from('RIFF\n\0\0\0WEBPVP8 ', 'latin1');

test('tells the type of an image by its first bytes', () => {
  expect([png, jpeg, Buffer.from('GIF89a...'), webp].map(imageTypeOf)).toEqual([
    'image/png',
    'image/jpeg',
    'image/gif',
    'image/webp',
  ]);
  const others = ['', '\x89PNG', 'GIF90a', '<svg></svg>', 'RIFF\n\0\0\0WAVEfmt ', 'x\x89PNG\r\n\x1a\n'];
  expect(others.map((text) => imageTypeOf(Buffer.from(text, 'latin1')))).toEqual(others.map(() => null));
});

test('shows the image of a result with the type that it has, and no image for other bytes', () => {
  const shown = (data: Record<string, string>) => imagesOf([{ isMain: true, data, metadata: {} }]);
  expect(shown({ 'image/png': jpeg.toString('base64') }).images).toMatchObject([{ mimeType: 'image/jpeg' }]);
  expect(shown({ 'image/png': Buffer.from('no image here').toString('base64') }).images).toEqual([]);
  expect(shown({ 'image/png': 'AAAA', 'image/jpeg': jpeg.toString('base64') }).images).toHaveLength(1);
});
