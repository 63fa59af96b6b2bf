import { createPublicKey } from 'node:crypto';
import { Problem } from '@holdfast/specs/public';
import { type JWK, SignJWT } from 'jose';
import { beforeEach, expect, test } from 'vitest';
import { createTokenIssuer } from '../../src/keys/token-issuer.ts';
import { audience, type Issuer, startIssuer } from './start-issuer.ts';

let issuer: Issuer;
beforeEach(async () => {
  issuer = await startIssuer();
  return () => issuer[Symbol.asyncDispose]();
});

type Timing = { cooldownMs?: number; ageMsMax?: number };
/** Fetches keys whenever a rule allows it. */
const eager = { cooldownMs: 0, ageMsMax: 0 };

const checks = (timing: Timing = {}, jwksUrl: string | null = null) =>
  createTokenIssuer({ issuer: issuer.url, audiences: ['https://other.test', audience], jwksUrl, ...timing });

async function refusalOf(work: Promise<unknown>): Promise<[status: number, detail: string]> {
  const problem = await work.then(
    () => null,
    (error) => error,
  );
  if (!(problem instanceof Problem)) throw new Error(`not refused by a problem: ${problem}`);
  return [problem.status, problem.options.detail ?? ''];
}

const seconds = () => Math.floor(Date.now() / 1000);
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

test.each(['RS256', 'PS512', 'ES256', 'ES384', 'EdDSA'])('takes a token signed with %s', async (alg) => {
  await issuer.addKey(alg);
  expect(await checks().verify(await issuer.token({ aud: [audience, 'https://third.test'] }))).toMatchObject({
    sub: 'alice',
  });
});

test.each([
  ['another audience', { aud: 'https://third.test' }, /"aud"/],
  ['no audience', { aud: undefined }, /"aud"/],
  ['another issuer', { iss: 'https://issuer.evil' }, /another issuer/],
  ['an end in the past', { exp: seconds() - 60 }, /"exp"/],
  ['no end', { exp: undefined }, /"exp"/],
  ['a beginning in the future', { nbf: seconds() + 3600 }, /"nbf"/],
  ['no subject', { sub: undefined }, /"sub"/],
])('refuses a token with %s', async (_, claims, detail) => {
  expect(await refusalOf(checks().verify(await issuer.token(claims)))).toEqual([401, expect.stringMatching(detail)]);
});

test('clocks may differ by some seconds', async () => {
  const near = { exp: seconds() - 2, nbf: seconds() + 2 };
  expect(await checks().verify(await issuer.token(near))).toMatchObject({ sub: 'alice' });
});

test('takes no signature that anyone could make', async () => {
  const rsa = await issuer.addKey('RS256');
  const claims = { iss: issuer.url, aud: audience, sub: 'alice', exp: seconds() + 300 };
  const pem = createPublicKey({ key: rsa.jwk as JWK & { kty: string }, format: 'jwk' }).export({
    type: 'spki',
    format: 'pem',
  });
  const own = await issuer.addKey();
  issuer.publishOnly(rsa);
  const forged = [
    `${encoded({ alg: 'none' })}.${encoded(claims)}.`,
    `${encoded({ alg: 'none', kid: rsa.kid })}.${encoded(claims)}.AAAA`,
    await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: rsa.kid }).sign(Buffer.from(pem)),
    await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: own.kid, jwk: own.jwk }).sign(own.privateKey),
    await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: rsa.kid }).sign(own.privateKey),
    `${(await issuer.token()).slice(0, -8)}AAAAAAAA`,
    `${(await issuer.token()).split('.')[0]}.${encoded({ ...claims, sub: 'root' })}.${(await issuer.token()).split('.')[2]}`,
    `eyJ.${encoded(claims)}.AAAA`,
    'eyJhbGciOiJSUzI1NiJ9.bm8ganNvbg.AAAA',
  ];
  for (const token of forged) expect([token, (await refusalOf(checks().verify(token)))[0]]).toEqual([token, 401]);
  expect(await checks().verify(await issuer.token())).toMatchObject({ sub: 'alice' });
});

test('a giant token is refused before anything of it is read', async () => {
  const token = await issuer.token({ groups: 'x'.repeat(20_000) });
  expect(await refusalOf(checks().verify(token))).toEqual([401, expect.stringMatching(/more than/)]);
  expect(issuer.count('/keys')).toBe(0);
});

test('a key that the issuer begins to use is fetched', async () => {
  const { verify } = checks({ cooldownMs: 0 });
  await verify(await issuer.token());
  await issuer.addKey();
  await verify(await issuer.token());
  expect(issuer.count('/keys')).toBe(2);
});

test('a key that the issuer has withdrawn is refused', async () => {
  const { verify } = checks(eager);
  const token = await issuer.token();
  await verify(token);
  issuer.publishOnly(await issuer.addKey());
  expect(await refusalOf(verify(token))).toEqual([401, expect.stringMatching(/no applicable key/)]);
});

test('a flood of unknown keys does not become a flood of fetches', async () => {
  const { verify } = checks();
  await verify(await issuer.token());
  const known = await issuer.addKey();
  issuer.publishOnly(known);
  const unknown = await Promise.all(
    Array.from({ length: 100 }, () => issuer.token({}, { ...known, kid: crypto.randomUUID() })),
  );
  for (const [status] of await Promise.all(unknown.map((token) => refusalOf(verify(token))))) expect(status).toBe(401);
  expect(issuer.count('/keys')).toBe(1);
  const eagerly = checks({ cooldownMs: 0 });
  await Promise.all(unknown.map((token) => refusalOf(eagerly.verify(token))));
  expect(issuer.count('/keys')).toBeLessThan(6);
});

test('an issuer that is down refuses nothing that its known keys have signed', async () => {
  const { verify } = checks(eager);
  const token = await issuer.token();
  await verify(token);
  issuer.state.isDown = true;
  expect(await verify(token)).toMatchObject({ sub: 'alice' });
  const unknown = await issuer.token({}, await issuer.addKey());
  expect(await refusalOf(verify(unknown))).toEqual([503, expect.stringMatching(/does not tell its keys/)]);
  issuer.state.isDown = false;
  expect(await verify(unknown)).toMatchObject({ sub: 'alice' });
});

test('an issuer that was never reached is asked once a cooldown, and not for tokens of others', async () => {
  issuer.state.isDown = true;
  const { verify } = checks();
  const token = await issuer.token();
  for (let n = 0; n < 10; n++) expect((await refusalOf(verify(token)))[0]).toBe(503);
  expect((await refusalOf(verify(await issuer.token({ iss: 'https://issuer.evil' }))))[0]).toBe(401);
  expect(issuer.count('/.well-known/openid-configuration')).toBe(1);
});

test('the discovery document of another issuer is not believed, and a configured address needs none', async () => {
  const token = await issuer.token();
  issuer.discovery.issuer = 'https://issuer.evil';
  expect((await refusalOf(checks().verify(token)))[0]).toBe(503);
  expect(await checks({}, `${issuer.url}/keys`).verify(token)).toMatchObject({ sub: 'alice' });
});
