import { readdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { createImageFiles, drawing } from './show-image.ts';

const image = { type: 'image/png', bytes: Buffer.alloc(6000, 1) } as const;

test('draws in a terminal of iTerm2 in one piece', () => {
  expect(drawing(image, { name: 'xterm-256color', program: 'iTerm.app' })).toBe(
    `\u001b]1337;File=inline=1;size=6000:${image.bytes.toString('base64')}\u0007`,
  );
});

test('draws in kitty in pieces of 4096 characters, of which the last one says so', () => {
  const drawn = drawing(image, { name: 'xterm-kitty', program: '' }) ?? '';
  const pieces = drawn
    .split('\u001b\\')
    .slice(0, -1)
    .map((piece) => piece.split(';'));
  expect(pieces.map(([control]) => control)).toEqual(['\u001b_Ga=T,f=100,m=1', '\u001b_Gm=0']);
  expect(pieces.map(([, content]) => content).join('')).toBe(image.bytes.toString('base64'));
  expect(pieces[0]?.[1]).toHaveLength(4096);
});

test.each([
  [image, { name: 'xterm-256color', program: 'Apple_Terminal' }],
  [{ ...image, type: 'image/jpeg' } as const, { name: 'xterm-kitty', program: '' }],
  [{ ...image, type: 'image/svg+xml' } as const, { name: 'xterm-256color', program: 'WezTerm' }],
])('draws nothing if the terminal cannot', (image, terminal) => {
  expect(drawing(image, terminal)).toBeUndefined();
});

test.each([
  [3, 1_000_000, ['image-3.png', 'image-4.png', 'image-5.png']],
  [100, 12_000, ['image-4.png', 'image-5.png']],
  [100, 100, ['image-5.png']],
])('the latest files are kept, at most %i with %i bytes', async (countMax, bytesMax, files) => {
  const keep = createImageFiles(countMax, bytesMax);
  const paths: string[] = [];
  for (let i = 0; i < 5; i++) paths.push(await keep(image));
  const folder = dirname(paths[0] ?? '');
  expect((await readdir(folder)).toSorted()).toEqual(files);
  await rm(folder, { recursive: true });
});
