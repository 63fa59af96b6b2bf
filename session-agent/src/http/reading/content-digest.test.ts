import { Problem } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { contentDigest } from './content-digest.ts';

// The example of RFC 9530, B.
const base64 = 'X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=';
const hex = '5f8f04f6a3a892aaabbddb6cf273894493773960d4a325b105fee46eef4304f1';

test.each([
  [undefined, undefined],
  [`sha-256=:${base64}:`, hex],
  [`sha-512=:abc:, sha-256=:${base64}:`, hex],
])('reads %j as %j', (header, digest) => {
  expect(contentDigest(header)).toBe(digest);
});

test.each([
  '',
  'md5=:abc:',
  'sha-256=:abc:',
  `sha-256=${base64}`,
  `x-sha-256=:${base64}:`,
  `sha-256=:${'*'.repeat(44)}:`,
])('rejects %j', (header) => {
  expect(() => contentDigest(header)).toThrow(Problem);
});
