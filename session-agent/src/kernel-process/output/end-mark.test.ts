import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createEndMarkSplitter } from './end-mark.ts';

const mark = Buffer.from('\0holdfast-end:0123456789abcdef\0');

/** Bytes with many beginnings of the mark and incomplete characters. */
const nastyBytes = fc
  .array(
    fc.oneof(
      fc.constantFrom('é', '€', '𝄞', 'a', '\0', '\0hold').map((text) => Buffer.from(text)),
      fc.integer({ min: 1, max: mark.length - 1 }).map((bytes) => mark.subarray(0, bytes)),
      fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
    ),
    { maxLength: 30 },
  )
  .map((parts) => Buffer.concat(parts))
  .filter((bytes) => !Buffer.concat([bytes, mark]).subarray(0, -1).includes(mark));

/** Feeds the bytes in chunks of the given sizes, repeated. */
function feed(bytes: Buffer, sizes: number[]) {
  const step: Buffer[] = [];
  const background: Buffer[] = [];
  let ends = 0;
  const stream = createEndMarkSplitter(
    (chunk) => step.push(Buffer.from(chunk)),
    (chunk) => background.push(Buffer.from(chunk)),
  );
  stream.begin(mark);
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    if (stream.push(bytes.subarray(at, at + size))) ends++;
    at += size;
  }
  return { step, background: Buffer.concat(background), ends, stream };
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

test('gives a step exactly the bytes before its mark and the background those after it, in chunks of any size', () => {
  fc.assert(
    fc.property(nastyBytes, nastyBytes, sizes, (before, after, cuts) => {
      const { step, background, ends } = feed(Buffer.concat([before, mark, after]), cuts);
      expect(Buffer.concat(step).equals(before)).toBe(true);
      expect(background.equals(after)).toBe(true);
      expect(ends).toBe(1);
    }),
  );
});

test('never splits text within a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), sizes, (text, cuts) => {
      fc.pre(text.isWellFormed());
      const { step } = feed(Buffer.concat([Buffer.from(text), mark]), cuts);
      expect(step.map(String).join('')).toBe(text);
    }),
  );
});

test('passes on the bytes it held back if a step ends without its mark', () => {
  const { step, stream } = feed(Buffer.from('text\0holdfast-e'), [100]);
  expect(String(Buffer.concat(step))).toBe('text');
  stream.end();
  expect(String(Buffer.concat(step))).toBe('text\0holdfast-e');
});
