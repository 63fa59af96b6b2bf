import { once } from 'node:events';
import { auth, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { clockToleranceSeconds } from '../../src/keys/token-issuer.ts';
import { connectMcp, run } from '../mcp/mcp-client.ts';
import { serveInSandbox } from '../ports/two-replicas.ts';
import { upgrade } from '../ports/visit.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { client, type Holdfast } from '../support/start-holdfast.ts';
import { audience, type Issuer, startIssuer } from './start-issuer.ts';

let issuer: Issuer;
let installation: Installation;
let holdfast: Holdfast;
beforeAll(async () => {
  issuer = await startIssuer();
  installation = await createInstallation();
  holdfast = await installation.start({
    HOLDFAST_LOG_LEVEL: 'trace',
    HOLDFAST_OIDC_ISSUER: issuer.url,
    HOLDFAST_OIDC_AUDIENCE: `${audience},${publicUrl}/mcp`,
    HOLDFAST_OIDC_TENANT_CLAIM: 'team',
    HOLDFAST_PUBLIC_URL: publicUrl,
  });
}, 60_000);
afterAll(async () => {
  await installation?.[Symbol.asyncDispose]();
  await issuer?.[Symbol.asyncDispose]();
});

/** The name of the server behind a proxy. */
const publicUrl = 'https://holdfast.example';

const claims = { team: 'red', scope: 'openid holdfast:run holdfast:host' };
const as = (token: string) => client(holdfast.url, { authorization: `Bearer ${token}` });
const metadata = (path = '') => `${publicUrl}/.well-known/oauth-protected-resource${path}`;

test('a client without a token learns from which issuer it gets one', async () => {
  for (const [path, resource, scopes] of [
    ['', publicUrl, ['holdfast:run', 'holdfast:host', 'holdfast:admin']],
    ['/mcp', `${publicUrl}/mcp`, ['holdfast:run']],
  ] as const) {
    const { status, headers } = await holdfast.request('POST', path || '/v1/sessions', {});
    expect([status, headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer realm="holdfast", scope="holdfast:run", resource_metadata="${metadata(path)}"`,
    ]);
    const { body } = await holdfast.request('GET', `/.well-known/oauth-protected-resource${path}`);
    expect(body).toEqual({
      resource,
      resource_name: 'Holdfast',
      authorization_servers: [issuer.url],
      scopes_supported: scopes,
      bearer_methods_supported: ['header'],
    });
  }
});

test('a token does all that an API key with its scopes and tenant does, and the audit log names its subject', async () => {
  const red = as(await issuer.token(claims));
  const session = await red.createSession();
  expect(await red.runStep(session.id, { code: 'open("a", "w").write("x")\n6 * 7' })).toMatchObject({
    status: 'succeeded',
  });
  const { items } = (await red.request('GET', `/v1/sessions/${session.id}/audit`)).body;
  expect(new Set(items.map((entry: { keyId: string }) => entry.keyId))).toContain('oidc:alice');
  const link = { path: 'a', operation: 'read', expiresSeconds: 600 };
  const { url } = (await red.request('POST', `/v1/sessions/${session.id}/files/links`, link)).body;
  expect(await (await fetch(holdfast.url + url)).text()).toBe('x');
  const blue = as(await issuer.token({ ...claims, team: 'blue' }));
  expect((await blue.request('GET', `/v1/sessions/${session.id}`)).status).toBe(404);
  const other = as(await issuer.token({ ...claims, sub: 'bob' }));
  expect((await other.request('DELETE', `/v1/sessions/${session.id}`)).status).toBe(204);
});

test('scopes and tenant come from claims, and nothing else gives them', async () => {
  const list = as(await issuer.token({ ...claims, scope: ['holdfast:run', 'holdfast:admin'] }));
  expect((await list.request('GET', '/v1/api-keys')).status).toBe(200);
  for (const scope of ['admin run', 'holdfast:admins', undefined, { 'holdfast:admin': true }]) {
    const answer = await as(await issuer.token({ ...claims, scope })).request('GET', '/v1/api-keys');
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      403,
      `Bearer realm="holdfast", error="insufficient_scope", scope="holdfast:admin", resource_metadata="${metadata()}"`,
    ]);
  }
  for (const team of [undefined, 'Not A Tenant', ['red']]) {
    expect((await as(await issuer.token({ ...claims, team })).request('GET', '/v1/sessions')).status).toBe(403);
  }
  expect((await as(await issuer.token({ ...claims, sub: 'a\u0000b' })).request('GET', '/v1/sessions')).status).toBe(
    401,
  );
});

test('a token that is not valid is refused everywhere, and stands in no log', async () => {
  const tokens = [
    await issuer.token({ ...claims, exp: 1000 }),
    await issuer.token({ ...claims, aud: 'https://third.test' }),
    await issuer.token({ ...claims, iss: 'https://issuer.evil' }),
  ];
  for (const token of tokens) {
    for (const path of ['/v1/sessions', '/mcp', '/v1/sessions/ses_01kaf3xq5t7e8m9n0p1r2s3t4v/steps']) {
      const { status, headers } = await as(token).request('POST', path, { code: '1' });
      expect([path, status]).toEqual([path, 401]);
      expect(headers.get('www-authenticate')).toContain('error="invalid_token"');
    }
  }
  const valid = await issuer.token(claims);
  expect((await as(valid).request('GET', '/v1/sessions')).status).toBe(200);
  const log = holdfast.output.join('\n');
  expect(log).toContain('"route":"/v1/sessions"');
  for (const token of [...tokens, valid]) expect(log).not.toContain(token.split('.')[1]);
});

test('a token that outlives the server ends nothing before its time', async () => {
  const red = as(await issuer.token({ ...claims, exp: 9e9 }));
  const { id } = await red.createSession();
  const seen: string[] = [];
  for await (const event of red.streamStep(id, { code: 'print("begun")' })) seen.push(event.type);
  expect(seen.at(-1)).toBe('finished');
  await red.request('DELETE', `/v1/sessions/${id}`);
});

/** Opens with a token that is valid for some seconds more: for longer if it was over before that on a busy machine. */
async function withShortToken<T>(open: (headers: { Authorization: string }) => Promise<T>): Promise<T> {
  for (let seconds = 2; ; seconds *= 3) {
    const exp = Math.floor(Date.now() / 1000) - clockToleranceSeconds + seconds;
    const token = await issuer.token({ ...claims, exp });
    try {
      return await open({ Authorization: `Bearer ${token}` });
    } catch (error) {
      if (seconds > 30) throw error;
    }
  }
}

test('the channel of a process and a visit to a port end with the token of their client', async () => {
  const red = as(await issuer.token(claims));
  const { id } = await red.createSession();
  const started = await red.request('POST', `/v1/sessions/${id}/processes`, { command: ['cat'], stdin: true });
  const path = `/v1/sessions/${id}/processes/${started.body.id}`;
  const channel = await withShortToken(async (headers) => {
    const socket = new WebSocket(`${holdfast.url.replace('http', 'ws')}${path}/channel`, { headers });
    await once(socket, 'open');
    return socket;
  });
  const served = await serveInSandbox((_, outgoing) => void outgoing.end());
  try {
    served.server.on('upgrade', (_, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
      socket.on('error', () => {}).resume();
    });
    const { host } = new URL((await red.request('POST', `/v1/sessions/${id}/ports`, { port: served.port })).body.url);
    const { socket } = await withShortToken(async (headers) => {
      const upgraded = await upgrade({ at: holdfast.url, host, headers });
      if (upgraded.status === 101) return upgraded;
      throw new Error(`${upgraded.status}`);
    });
    await once(socket.on('error', () => {}).resume(), 'close');
    if (channel.readyState !== WebSocket.CLOSED) await once(channel, 'close');
    expect((await red.request('GET', path)).body).toMatchObject({ status: 'running' });
  } finally {
    channel.terminate();
    served.close();
    await red.request('DELETE', `/v1/sessions/${id}`);
  }
}, 120_000);

/** A person who says yes at once, and a client that keeps what it is told. */
function loggingIn() {
  const kept: { tokens?: OAuthTokens; verifier?: string; client?: { client_id: string }; code?: string | null } = {};
  const provider: OAuthClientProvider = {
    redirectUrl: 'http://127.0.0.1:1/callback',
    clientMetadata: { redirect_uris: ['http://127.0.0.1:1/callback'] },
    clientInformation: () => kept.client,
    saveClientInformation: (information) => void Object.assign(kept, { client: information }),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void Object.assign(kept, { tokens }),
    saveCodeVerifier: (verifier) => void Object.assign(kept, { verifier }),
    codeVerifier: () => kept.verifier ?? '',
    async redirectToAuthorization(url) {
      const { headers } = await fetch(url, { redirect: 'manual' });
      kept.code = new URL(headers.get('location') ?? '').searchParams.get('code');
    },
  };
  return { provider, kept };
}

/** Requests for the public name reach the server, as through a proxy. */
const throughProxy: typeof fetch = (input, init) =>
  fetch(`${input instanceof Request ? input.url : input}`.replace(publicUrl, holdfast.url), init);

test('the official MCP client finds the issuer, logs in, and refreshes a token that has expired', async () => {
  const { provider, kept } = loggingIn();
  const connecting = { authProvider: provider, fetch: throughProxy };
  await expect(connectMcp(publicUrl, connecting)).rejects.toThrow(/Unauthorized/);
  await auth(provider, { serverUrl: `${publicUrl}/mcp`, authorizationCode: kept.code ?? '', fetchFn: throughProxy });
  await using mcp = await connectMcp(publicUrl, connecting);
  expect(await mcp.call(...run('6 * 7'))).toMatchObject({ result: '42' });
  const before = kept.tokens?.access_token;
  kept.tokens = { ...(kept.tokens as OAuthTokens), access_token: await issuer.token({ exp: 1000 }) };
  expect(await mcp.call(...run('6 * 8'))).toMatchObject({ result: '48' });
  expect(kept.tokens.access_token).not.toBe(before);
});
