import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createJsonEscaper } from './escape-json.ts';

function escaped(pieces: Buffer[]): string {
  const escaper = createJsonEscaper();
  return Buffer.concat([...pieces.flatMap((piece) => escaper.write(piece)), ...escaper.end()]).toString();
}

const expected = (pieces: Buffer[]) => JSON.stringify(Buffer.concat(pieces).toString()).slice(1, -1);

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('"', '\\', '\n', '\0', '\u007f', '\u2028', 'é', '€', '𝄞', 'plain text that is long enough '),
);

test('writes any text as JSON.stringify does, wherever it is cut and wherever it lies in memory', () => {
  fc.assert(
    fc.property(fc.array(texts, { maxLength: 20 }), fc.array(fc.nat(9), { minLength: 1 }), (parts, sizes) => {
      const whole = Buffer.from(parts.join(''));
      const pieces: Buffer[] = [];
      for (let at = 0, i = 0; at < whole.length; i++) {
        const size = (sizes[i % sizes.length] as number) + 1;
        pieces.push(whole.subarray(at, at + size));
        at += size;
      }
      expect(escaped(pieces)).toBe(expected(pieces));
      expect(escaped([whole])).toBe(expected([whole]));
    }),
    { numRuns: 2000 },
  );
});

test('writes bytes that are not UTF-8 as JSON.stringify writes their text', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 12 })), (parts) => {
      const pieces = parts.map((part) => Buffer.from(part));
      expect(escaped(pieces)).toBe(expected(pieces));
    }),
    { numRuns: 2000 },
  );
});

test('writes every character of ASCII at every place within four bytes', () => {
  for (let code = 0; code < 0x80; code++) {
    for (let place = 0; place < 4; place++) {
      const text = Buffer.from(`${'x'.repeat(place)}${String.fromCharCode(code)}${'y'.repeat(7 - place)}`);
      expect(escaped([text])).toBe(expected([text]));
    }
  }
});

test('writes a long text of nothing but control characters, each of which becomes six', () => {
  const text = Buffer.alloc(100_000, 1);
  expect(escaped([text])).toBe(expected([text]));
});
