import { newId } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { artifactUrl, jobFileUrl } from '../artifacts/artifact-view.ts';
import { createSeal } from './seal.ts';
import { checkSignature, signUrl } from './sign-url.ts';

const seal = createSeal({ current: new Uint8Array(32).fill(1) });
const session = { sessionId: 'ses_1' };
const file = artifactUrl({ ...session, artifactId: 'art_1' });
const input = jobFileUrl({ ...session, jobId: 'job_1', path: 'a b/ü?.csv', role: 'input' });
const expiresAt = new Date('2026-01-15T10:00:00.900Z');

function queryOf(signed: string) {
  const { searchParams } = new URL(signed, 'http://server');
  return { expires: Number(searchParams.get('expires')), signature: searchParams.get('signature') ?? '' };
}

test.each([file, input])('a signed URL lets its bearer in until it expires: %s', (url) => {
  const query = queryOf(signUrl(seal, url, { expiresAt, keyId: null }));
  const at = (time: string) => () => checkSignature(seal, { url, ...query, now: new Date(time) });
  expect(at('2026-01-15T09:59:59.999Z')).not.toThrow();
  expect(at('2026-01-15T10:00:00.000Z')).toThrow('has expired');
});

test('a signature is of one URL, one expiry and one key', () => {
  const query = queryOf(signUrl(seal, input, { expiresAt, keyId: null }));
  const now = new Date('2026-01-15T09:00:00Z');
  const check =
    (change: object, by = seal) =>
    () =>
      checkSignature(by, { url: input, ...query, now, ...change });
  expect(check({})).not.toThrow();
  const forged = [
    { url: file },
    { url: input.replace('input', 'output') },
    { url: input.replace('?role=input', '') },
    { expires: query.expires + 1 },
    { expires: undefined },
    { expires: Number.NaN },
    { signature: undefined },
    { signature: '' },
    { signature: `${query.signature}A` },
    { signature: `${query.signature.slice(0, -2)}AA` },
    { signature: 'ü'.repeat(43) },
  ];
  for (const change of forged) expect(check(change), JSON.stringify(change)).toThrow('not for this URL');
  expect(check({}, createSeal({ current: new Uint8Array(32).fill(2) }))).toThrow('not for this URL');
});

test('a URL that was signed for an API key names it, and it cannot be removed or changed', () => {
  const keyId = newId('key');
  const signed = signUrl(seal, file, { expiresAt, keyId });
  const key = new URL(signed, 'http://server').searchParams.get('key');
  expect(key).toBe(keyId);
  const query = queryOf(signed);
  const now = new Date('2026-01-15T09:00:00Z');
  const check = (given: string | undefined) => () => checkSignature(seal, { url: file, ...query, key: given, now });
  expect(check(keyId)).not.toThrow();
  for (const other of [undefined, '', newId('key')]) expect(check(other)).toThrow('not for this URL');
});

test('a URL that was signed for a token of an issuer names no key, since none can be revoked', () => {
  expect(signUrl(seal, file, { expiresAt, keyId: 'oidc:alice&key=x' })).toBe(
    signUrl(seal, file, { expiresAt, keyId: null }),
  );
});

test('a signature differs from a fingerprint', () => {
  const expires = Math.floor(expiresAt.getTime() / 1000);
  const fingerprint = seal.fingerprint(`${file}\n${expires}`).toString('base64url');
  expect(queryOf(signUrl(seal, file, { expiresAt, keyId: null })).signature).not.toBe(fingerprint);
});

test('the names in the URL of a job file are encoded one by one', () => {
  expect(input).toBe('/v1/artifacts/ses_1/job_1/a%20b/%C3%BC%3F.csv?role=input');
});
