import type { FrameType } from '@holdfast/specs/agent';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CappedOutput } from './capped-output.ts';

const tailBytes = 64 * 1024;

test('passes on output within the limit unchanged', () => {
  expect(capped(1000, ['one', '', 'two'])).toEqual({ texts: ['one', 'two'], dropped: 0 });
});

test('keeps head and tail beyond the limit and counts the bytes between them exactly', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 50_000 }), { maxLength: 12 }), (sizes) => {
      const whole = sizes.map((size, index) => String.fromCharCode(97 + index).repeat(size));
      const { texts, dropped } = capped(5000, whole);
      const all = whole.join('');
      const kept = texts.join('');
      const head = kept.length + dropped === all.length && dropped > 0 ? kept.length - tailBytes : kept.length;
      expect(kept.length + dropped).toBe(all.length);
      expect(all.startsWith(kept.slice(0, head))).toBe(true);
      expect(all.endsWith(kept.slice(head))).toBe(true);
      expect(head).toBeLessThanOrEqual(dropped > 0 ? 5000 : 5000 + tailBytes);
    }),
    { numRuns: 100 },
  );
});

test('never splits a character', () => {
  const text = '€😀é'.repeat(30_000);
  for (let bound = 100; bound < 110; bound++) {
    const { texts } = capped(bound, [text]);
    expect(texts.join('')).not.toContain('\ufffd');
  }
});

function capped(bytesMax: number, pieces: string[]) {
  const frames: { type: FrameType; payload: Uint8Array | object }[] = [];
  const output = new CappedOutput(
    { append: (type, payload) => frames.push({ type, payload }) },
    { stream: 'stdout', bytesMax },
  );
  for (const piece of pieces) output.push(Buffer.from(piece));
  output.end();
  const texts = frames.filter(({ type }) => type === 'stdout').map(({ payload }) => String(payload));
  const cut = frames.find(({ type }) => type === 'truncated')?.payload as { bytes: number } | undefined;
  return { texts, dropped: cut?.bytes ?? 0 };
}
