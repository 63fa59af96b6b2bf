import { expect, test } from 'vitest';
import { createSeal } from './seal.ts';

const seal = createSeal(new Uint8Array(32).fill(1));

test('a sealed text opens under its own key only', async () => {
  const closed = await seal.close('secret');
  expect(closed).not.toContain('secret');
  expect(await seal.open(closed)).toBe('secret');
  await expect(createSeal(new Uint8Array(32).fill(2)).open(closed)).rejects.toThrow();
});

test('a fingerprint tells texts apart and cannot be guessed without the key', () => {
  expect(seal.fingerprint('{"PIN":"1234"}')).toEqual(seal.fingerprint('{"PIN":"1234"}'));
  expect(seal.fingerprint('{"PIN":"1234"}')).not.toEqual(seal.fingerprint('{"PIN":"1235"}'));
  const elsewhere = createSeal(new Uint8Array(32).fill(2));
  expect(elsewhere.fingerprint('{"PIN":"1234"}')).not.toEqual(seal.fingerprint('{"PIN":"1234"}'));
});

test('a signature depends on text and key and differs from the fingerprint', () => {
  expect(seal.sign('text')).toEqual(seal.sign('text'));
  expect(seal.sign('text')).not.toEqual(seal.sign('text '));
  expect(seal.sign('text')).not.toEqual(seal.fingerprint('text'));
  expect(seal.sign('text')).not.toEqual(createSeal(new Uint8Array(32).fill(2)).sign('text'));
});
