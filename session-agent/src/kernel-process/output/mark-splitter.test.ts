import { type StreamMark, streamMark } from '@holdfast/specs/kernel';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMarkSplitter } from './mark-splitter.ts';

const nonce = '0123456789abcdef0123456789abcdef';
const marks = { turn: '', message: '', end: '' };
for (const mark of Object.keys(marks) as StreamMark[]) marks[mark] = streamMark(nonce, mark);
const end = Buffer.from(marks.end);

/** Bytes with many beginnings of a mark and incomplete characters. */
const nastyBytes = fc
  .array(
    fc.oneof(
      fc.constantFrom('é', '€', '𝄞', 'a', '\0', '\0hold').map((text) => Buffer.from(text)),
      fc.integer({ min: 1, max: end.length - 3 }).map((bytes) => end.subarray(0, bytes)),
      fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
    ),
    { maxLength: 30 },
  )
  .map((parts) => Buffer.concat(parts))
  .filter((bytes) => !Buffer.concat([bytes, end]).subarray(0, -3).includes(end.subarray(0, -2)));

/** Feeds the bytes in chunks of the given sizes, repeated. A step's marks are among its pieces as `<mark>`. */
function feed(bytes: Buffer, sizes: number[]) {
  const step: Buffer[] = [];
  const background: Buffer[] = [];
  const stream = createMarkSplitter({
    onStep: (chunk) => step.push(Buffer.from(chunk)),
    onMark: (mark) => step.push(Buffer.from(`<${mark}>`)),
    onBackground: (chunk) => background.push(Buffer.from(chunk)),
  });
  stream.begin(nonce);
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    const chunk = Buffer.from(bytes.subarray(at, at + size));
    stream.push(chunk);
    // The memory belongs to the next read.
    chunk.fill('?');
    at += size;
  }
  return { step, background: Buffer.concat(background), stream };
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

test('gives a step exactly the bytes before its end mark and the background those after it, in chunks of any size', () => {
  fc.assert(
    fc.property(nastyBytes, nastyBytes, sizes, (before, after, cuts) => {
      const { step, background } = feed(Buffer.concat([before, end, after]), cuts);
      expect(Buffer.concat(step).equals(Buffer.concat([before, Buffer.from('<end>')]))).toBe(true);
      expect(background.equals(after)).toBe(true);
    }),
  );
});

test('never splits text within a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), sizes, (text, cuts) => {
      fc.pre(text.isWellFormed());
      const { step } = feed(Buffer.concat([Buffer.from(text), end]), cuts);
      expect(step.map(String).join('')).toBe(`${text}<end>`);
    }),
  );
});

test('reports each mark between the bytes around it, in chunks of any size', () => {
  const part = fc.oneof(
    fc.constantFrom('turn', 'message').map((mark) => `<${mark}>`),
    fc.stringMatching(/^[a-zé€]{1,9}$/),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), sizes, (parts, cuts) => {
      const written = parts.join('').replace(/<(\w+)>/g, (_, mark: StreamMark) => marks[mark]);
      const { step } = feed(Buffer.concat([Buffer.from(written), end]), cuts);
      expect(step.map(String).join('')).toBe(`${parts.join('')}<end>`);
    }),
  );
});

test('puts a character that a mark splits behind the mark', () => {
  const [first, second] = [Buffer.from('a€').subarray(0, 2), Buffer.from('€').subarray(1)];
  const { step } = feed(Buffer.concat([first, Buffer.from(marks.turn), second, end]), [100]);
  expect(step.map(String)).toEqual(['a', '<turn>', '€', '<end>']);
});

test('passes on the bytes it held back if a step ends without its end mark', () => {
  const { step, stream } = feed(Buffer.from('text\0holdfast:0'), [100]);
  expect(String(Buffer.concat(step))).toBe('text');
  stream.end();
  expect(String(Buffer.concat(step))).toBe('text\0holdfast:0');
});
