import { expect, test } from 'vitest';
import { auditArguments } from './audit-arguments.ts';

test('the values of fields whose names sound secret are left out, however deep', () => {
  const secrets = {
    apiKey: 1,
    api_key: 1,
    accessToken: 'x',
    Password: 'x',
    passphrase: 'x',
    access_key: 'x',
    nested: [{ clientSecret: 'x', id: 7 }],
  };
  expect(auditArguments(secrets)).toEqual({
    apiKey: '[redacted]',
    api_key: '[redacted]',
    accessToken: '[redacted]',
    Password: '[redacted]',
    passphrase: '[redacted]',
    access_key: '[redacted]',
    nested: [{ clientSecret: '[redacted]', id: 7 }],
  });
  const limits = { tokens: 5, maxTokensPerCall: 100, keyword: 'a' };
  expect(auditArguments(limits)).toEqual(limits);
});

test('long arguments are cut to 4 KiB, and too many of them to their names', () => {
  const long = auditArguments({ text: 'x'.repeat(100_000), list: Array.from({ length: 50 }, (_, i) => i) });
  expect(long.text).toBe(`${'x'.repeat(256)}…`);
  expect(long.list).toHaveLength(16);
  const many = auditArguments(Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`name${i}`, 'y'.repeat(500)])));
  expect(Buffer.byteLength(JSON.stringify(many))).toBeLessThanOrEqual(4096);
  expect(many.omitted).toHaveLength(32);
});

test('Postgres can store what is left of any text', () => {
  expect(auditArguments({ 'a\0b': '\0\ud800' })).toEqual({ 'a\uFFFDb': '\uFFFD\uFFFD' });
});
