import { expect, test } from 'vitest';
import { isoText } from './iso-text.ts';

test('writes dates of one second and of others as toISOString does', () => {
  const seconds = [0, 1_795_000_000_000, -1000, -62_198_755_200_000, 253_402_300_800_000, 1_795_000_059_000];
  for (const start of seconds)
    for (const ms of [0, 999, 7, 42, 1000, -1, 0]) {
      const date = new Date(start + ms);
      expect(isoText(date)).toBe(date.toISOString());
    }
});

test('rejects a date that is none after one that is', () => {
  isoText(new Date(0));
  expect(() => isoText(new Date(Number.NaN))).toThrow(RangeError);
});
