import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clip, createHeadAndTail } from './head-and-tail.ts';

const mark = /\n\[… (\d+) bytes are left out here …\]\n/;

test('keeps the beginning and the end of a text in pieces of any size, and counts the bytes between them', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary-ascii', maxLength: 60 }), { maxLength: 40 }), (pieces) => {
      const kept = createHeadAndTail(32);
      for (const piece of pieces) kept.add(Buffer.from(piece));
      const all = pieces.join('');
      const omittedBytes = Math.max(0, all.length - 64);
      const between = omittedBytes > 0 ? `\n[… ${omittedBytes} bytes are left out here …]\n` : '';
      const text = all.slice(0, 32) + between + all.slice(Math.max(32, all.length - 32));
      expect(kept.clipped()).toEqual({ text, omittedBytes });
    }),
  );
});

test('cuts between characters', () => {
  const { text } = clip('€'.repeat(100), 32);
  expect(text.replace(mark, '')).toBe('€'.repeat(20));
});

test('counts bytes that were missing before', () => {
  const kept = createHeadAndTail(32);
  kept.add(Buffer.from('short'));
  kept.omit(7);
  expect(kept.clipped()).toEqual({ text: 'short\n[… 7 bytes are left out here …]\n', omittedBytes: 7 });
});
