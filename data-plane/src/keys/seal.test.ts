import { expect, test } from 'vitest';
import { createSeal, fingerprintKey } from './seal.ts';

const seal = createSeal({ current: new Uint8Array(32).fill(1) });

test('a sealed text opens under its own key only', async () => {
  const closed = await seal.close('secret');
  expect(closed).not.toContain('secret');
  expect(await seal.open(closed)).toBe('secret');
  await expect(createSeal({ current: new Uint8Array(32).fill(2) }).open(closed)).rejects.toThrow();
});

test('a fingerprint tells texts apart and cannot be guessed without the key', () => {
  expect(seal.fingerprint('{"PIN":"1234"}')).toEqual(seal.fingerprint('{"PIN":"1234"}'));
  expect(seal.fingerprint('{"PIN":"1234"}')).not.toEqual(seal.fingerprint('{"PIN":"1235"}'));
  const elsewhere = createSeal({ current: new Uint8Array(32).fill(2) });
  expect(elsewhere.fingerprint('{"PIN":"1234"}')).not.toEqual(seal.fingerprint('{"PIN":"1234"}'));
});

test('a text that was sealed or signed before a rotation opens and verifies after it, and the fingerprint stays', async () => {
  const [old, next] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  const rotated = createSeal({ current: next, others: [old], fingerprint: fingerprintKey(old) });
  expect(await rotated.open(await seal.close('secret'))).toBe('secret');
  expect(rotated.verify('text', seal.sign('text').toString('base64url'))).toBe(true);
  expect(rotated.fingerprint('text')).toEqual(seal.fingerprint('text'));
  await expect(seal.open(await rotated.close('secret'))).rejects.toThrow();
  expect(seal.verify('text', rotated.sign('text').toString('base64url'))).toBe(false);
});

test('a signature depends on text and key and differs from the fingerprint', () => {
  expect(seal.sign('text')).toEqual(seal.sign('text'));
  expect(seal.sign('text')).not.toEqual(seal.sign('text '));
  expect(seal.sign('text')).not.toEqual(seal.fingerprint('text'));
  expect(seal.sign('text')).not.toEqual(createSeal({ current: new Uint8Array(32).fill(2) }).sign('text'));
});
