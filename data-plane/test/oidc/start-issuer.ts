import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

type SigningKey = { kid: string; alg: string; privateKey: CryptoKey; jwk: JWK };

export type Issuer = Awaited<ReturnType<typeof startIssuer>>;

export const audience = 'https://holdfast.test';

/** An issuer of tokens as operators run one: discovery, keys, and a login by authorization code (RFC 6749, RFC 7636) that admits alice at once. */
export async function startIssuer() {
  const published: SigningKey[] = [];
  const asked: string[] = [];
  const codes = new Map<string, URLSearchParams>();
  const state = { isDown: false, lifetimeSeconds: 300 };

  async function addKey(alg = 'ES256'): Promise<SigningKey> {
    const { privateKey, publicKey } = await generateKeyPair(alg);
    const kid = randomUUID();
    const key = { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
    published.push(key);
    return key;
  }

  async function token(claims: JWTPayload = {}, key = published.at(-1)): Promise<string> {
    if (!key) throw new Error('the issuer has no key');
    const now = Math.floor(Date.now() / 1000);
    const usual = { iss: url, aud: audience, sub: 'alice', team: 'red', iat: now, exp: now + state.lifetimeSeconds };
    return await new SignJWT({ ...usual, scope: 'openid holdfast:run', ...claims })
      .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'at+jwt' })
      .sign(key.privateKey);
  }

  async function grant(form: URLSearchParams): Promise<object> {
    const refused = { error: 'invalid_grant' };
    const isRefresh = form.get('grant_type') === 'refresh_token';
    const asked = codes.get(form.get(isRefresh ? 'refresh_token' : 'code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!asked || (!isRefresh && asked.get('code_challenge') !== challenge)) return refused;
    const refreshToken = randomUUID();
    codes.set(refreshToken, asked);
    const claims = { aud: asked.get('resource') ?? audience, scope: asked.get('scope') ?? '' };
    return { access_token: await token(claims), token_type: 'Bearer', refresh_token: refreshToken };
  }

  async function answer(incoming: IncomingMessage): Promise<{ status?: number; body?: object; location?: string }> {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', url);
    asked.push(pathname);
    if (state.isDown) return { status: 503 };
    if (pathname === '/keys') return { body: { keys: published.map(({ jwk }) => jwk) } };
    if (pathname === '/register')
      return { status: 201, body: { ...JSON.parse(await text(incoming)), client_id: 'client' } };
    if (pathname === '/token') return { body: await grant(new URLSearchParams(await text(incoming))) };
    if (pathname === '/authorize') {
      const code = randomUUID();
      codes.set(code, searchParams);
      return { status: 302, location: `${searchParams.get('redirect_uri')}?code=${code}` };
    }
    return pathname === '/.well-known/openid-configuration' ? { body: discovery } : { status: 404 };
  }

  const server = createServer((incoming, outgoing) => void respond(answer(incoming), outgoing));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const discovery = {
    issuer: url,
    jwks_uri: `${url}/keys`,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    registration_endpoint: `${url}/register`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    code_challenge_methods_supported: ['S256'],
  };
  await addKey();
  return {
    url,
    state,
    discovery,
    token,
    addKey,
    /** Publishes no other key than this one from now on. */
    publishOnly: (key: SigningKey) => published.splice(0, published.length, key),
    /** How often a path was asked for. */
    count: (path: string) => asked.filter((one) => one === path).length,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

type Answer = { status?: number; body?: object; location?: string };

async function respond(work: Promise<Answer>, outgoing: ServerResponse): Promise<void> {
  const { status = 200, body = {}, location } = await work;
  outgoing.writeHead(status, { 'content-type': 'application/json', ...(location && { location }) });
  outgoing.end(JSON.stringify(body));
}
