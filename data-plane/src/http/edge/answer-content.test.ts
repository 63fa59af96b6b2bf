import { expect, test } from 'vitest';
import { contentDisposition } from './answer-content.ts';

test('a file is saved under its own name, whatever characters that has', () => {
  expect(contentDisposition('out/plot.png')).toBe('inline; filename="plot.png"');
  expect(contentDisposition('ä"b.csv')).toBe(`inline; filename="__b.csv"; filename*=UTF-8''%C3%A4%22b.csv`);
  expect(contentDisposition("it's 5% (ü).txt")).toBe(
    `inline; filename="it's 5_ (_).txt"; filename*=UTF-8''it%27s%205%25%20%28%C3%BC%29.txt`,
  );
});

test('no name breaks out of its header', () => {
  for (const name of ['a\r\nSet-Cookie: x', 'a"; filename="b', 'a\\"b', '\u0000', '😀'.repeat(60)]) {
    expect(contentDisposition(name)).toMatch(/^inline; filename="[^"\\]*"(; filename\*=UTF-8''[\w%!#$&+.^`|~-]*)?$/);
    expect(contentDisposition(name)).toMatch(/^[\x20-\x7e]*$/);
  }
});
