import { createPublicKey, verify } from 'node:crypto';
import { once } from 'node:events';
import { get } from 'node:http';
import { proofText, tokenClaimsSchema, unsignedClaimsHeader } from '@holdfast/specs/agent';
import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claimsFor, createSigningKey, mintToken, signedWithPublicKey } from '../support/mint-token.ts';
import { type AgentUnderTest, spawnAgent, startAgent } from '../support/start-agent.ts';
import { until } from '../support/until.ts';

let agent: AgentUnderTest;
beforeAll(async () => {
  agent = await startAgent();
  expect(await statusWith(mintToken(agent.keys[0], claimsFor(agent)))).toBe(200);
});
afterAll(() => agent[Symbol.asyncDispose]());

const statusWith = async (token: string) => (await ask({ authorization: `Bearer ${token}` })).status;

/** Does not use `fetch`, which repeats a request by itself after a 421. */
async function ask(headers: Record<string, string>, to = agent) {
  const [response] = await once(get(`${to.url}/v1/session`, { headers, agent: false }), 'response');
  return { status: response.statusCode, body: JSON.parse((await response.toArray()).join('')) };
}

/** The token with another session and the old signature. */
function changed(token: string): string {
  const [header, , signature] = token.split('.');
  const claims = Buffer.from(JSON.stringify({ ...claimsFor(agent), sub: newId('ses') })).toString('base64url');
  return `${header}.${claims}.${signature}`;
}

describe('the agent rejects', () => {
  const claims = () => claimsFor(agent);
  const minted = (kind: object) => mintToken(agent.keys[0], claims(), kind);
  const now = () => Math.floor(Date.now() / 1000);

  const refusals: [name: string, token: () => string, status: number][] = [
    ['an expired token', () => mintToken(agent.keys[0], claimsFor(agent, -10)), 401],
    ['a token of a key it does not know', () => mintToken(createSigningKey('other'), claims()), 401],
    ['a foreign key under a known name', () => mintToken(createSigningKey('current'), claims()), 401],
    ['a token without kid', () => mintToken(agent.keys[0], claims(), { header: { kid: undefined } }), 401],
    ['alg none', () => mintToken(agent.keys[0], claims(), unsigned), 401],
    ['HS256 signed with the public key', () => mintToken(agent.keys[0], claims(), hmac()), 401],
    ['a good signature under another algorithm name', () => minted({ header: { alg: 'Ed25519' } }), 401],
    ['another typ', () => mintToken(agent.keys[0], claims(), { header: { typ: 'JWT' } }), 401],
    ['another issuer', () => mintToken(agent.keys[0], { ...claims(), iss: 'someone' }), 401],
    ['an audience that is a list', () => mintToken(agent.keys[0], { ...claims(), aud: [agent.uid] }), 401],
    ['an epoch that is not a number', () => mintToken(agent.keys[0], { ...claims(), epoch: '1' }), 401],
    ['exp as text', () => mintToken(agent.keys[0], { ...claims(), exp: `${now() + 60}` }), 401],
    ['a changed claim', () => changed(mintToken(agent.keys[0], claims())), 401],
    ['rubbish', () => 'rubbish', 401],
    ['another audience', () => mintToken(agent.keys[0], { ...claims(), aud: newId('uid') }), 421],
    ['another session', () => mintToken(agent.keys[0], { ...claims(), sub: newId('ses') }), 421],
    ['an expired token for another sandbox', () => mintToken(createSigningKey('x'), { ...claims(), aud: 'x' }), 401],
  ];
  const unsigned = { header: { alg: 'none' }, sign: () => Buffer.alloc(0) };
  const hmac = () => ({ header: { alg: 'HS256' }, sign: signedWithPublicKey(agent.keys[0]) });

  test.for(refusals)('%s', async ([, token, status]) => {
    expect(await statusWith(token())).toBe(status);
  });

  test.for(Object.keys(tokenClaimsSchema.shape))('a token without %s', async (claim) => {
    expect(await statusWith(mintToken(agent.keys[0], { ...claims(), [claim]: undefined }))).toBe(401);
  });

  test('a request without a token, at every endpoint but liveness and proof', async () => {
    const endpoints = [
      ['GET', '/v1/session'],
      ['PUT', '/v1/session'],
      ['POST', '/v1/steps'],
      ['GET', '/v1/steps'],
      ['POST', `/v1/steps/${newId('stp')}/attach`],
      ['POST', `/v1/steps/${newId('stp')}/interrupt`],
      ['POST', '/v1/acks'],
      ['POST', '/v1/fence'],
      ['GET', '/v1/contexts'],
      ['POST', '/v1/contexts'],
      ['DELETE', '/v1/contexts/python'],
      ['POST', '/v1/contexts/python/restart'],
      ['GET', '/v1/contexts/python/symbols'],
      ['GET', '/v1/anything'],
    ] as const;
    for (const [method, path] of endpoints) {
      const response = await fetch(`${agent.url}${path}`, { method });
      expect([path, response.status]).toEqual([path, 401]);
    }
    expect((await fetch(`${agent.url}/healthz`)).status).toBe(200);
    expect((await agent.call('GET', '/v1/contexts')).body).toEqual({ contexts: [] });
  });

  test('a lower epoch, and ends at a higher one', async () => {
    await using old = await startAgent();
    const at = (epoch: number) => ({
      authorization: `Bearer ${mintToken(old.keys[0], claimsFor({ ...old, epoch }))}`,
    });
    expect((await ask(at(2), old)).status).toBe(200);
    expect((await ask(at(1), old)).status).toBe(421);
    expect((await ask(at(3), old)).status).toBe(421);
    expect(await old.exited).toEqual({ code: 0, signal: null });
  });
});

test('accepts a token signed with the next key', async () => {
  expect(await statusWith(mintToken(agent.keys[1], claimsFor(agent)))).toBe(200);
});

test('rejects an accepted token once it has expired', async () => {
  const token = mintToken(agent.keys[0], claimsFor(agent, -3));
  expect(await statusWith(token)).toBe(200);
  await until('the token to expire', async () => (await statusWith(token)) === 401);
});

test('proves that it holds its key', async () => {
  const nonce = Buffer.alloc(32, 7).toString('base64url');
  const { status, body } = await agent.call('POST', '/v1/proof', { nonce }, { authorization: '' });
  expect(status).toBe(200);
  expect(body.uid).toBe(agent.uid);
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: body.publicKey }, format: 'jwk' });
  const signed = (text: string) => verify(null, Buffer.from(text), key, Buffer.from(body.signature, 'base64url'));
  expect(signed(proofText(agent.uid, nonce))).toBe(true);
  expect(signed(proofText(newId('uid'), nonce))).toBe(false);
});

describe('with agent authentication bypassed', () => {
  const bypass = { HOLDFAST_INSECURE_SKIP_AGENT_AUTH: 'true', HOLDFAST_AGENT_TOKEN_KEYS: '' };
  const unsigned = (claims: object) => ({
    [unsignedClaimsHeader]: Buffer.from(JSON.stringify(claims)).toString('base64url'),
  });

  test('answers callers without a token in development, and still checks claims', async () => {
    await using open = await startAgent({ ...bypass, HOLDFAST_ENV: 'development' });
    expect((await ask({}, open)).status).toBe(200);
    expect((await ask(unsigned({ ...claimsFor(open), aud: newId('uid') }), open)).status).toBe(421);
    expect((await ask(unsigned(claimsFor(open, -10)), open)).status).toBe(401);
    expect((await ask(unsigned({ ...claimsFor(open), sub: undefined }), open)).status).toBe(401);
    expect((await ask(unsigned(claimsFor(open)), open)).body).toMatchObject({ sessionId: open.sessionId, epoch: 1 });
    expect((await ask(unsigned({ ...claimsFor(open), sub: newId('ses') }), open)).status).toBe(421);
    expect(open.log()).toContain('agent authentication is bypassed');
  });

  test.for(['production', ''])('the agent does not start with HOLDFAST_ENV=%s', async (environment) => {
    const child = spawnAgent({
      ...bypass,
      HOLDFAST_ENV: environment,
      HOLDFAST_SANDBOX_UID: newId('uid'),
      HOLDFAST_WORKSPACE: '/',
    });
    let log = '';
    child.stderr?.on('data', (chunk) => {
      log += chunk;
    });
    const [code] = await once(child, 'close');
    expect(code).toBe(78);
    expect(log).toContain('HOLDFAST_INSECURE_SKIP_AGENT_AUTH is refused while HOLDFAST_ENV is production');
  });
});
