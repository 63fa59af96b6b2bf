import { expect, test } from 'vitest';
import { drawing } from './show-image.ts';

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
