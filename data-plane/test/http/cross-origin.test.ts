import { expect, test } from 'vitest';
import type { Caller } from '../../src/sessions/caller.ts';
import { scriptedApp } from './scripted-app.ts';
import { session } from './scripted-verbs.ts';
import { servedApp } from './served-app.ts';

const origin = 'https://app.example';
const corsOrigins = new Set([origin, 'http://localhost:5173']);
const key = { Authorization: 'Bearer run' };
const path = `/v1/sessions/${session.id}`;

async function authenticate(): Promise<Caller> {
  return { tenant: 'acme', scopes: new Set(['run']), keyId: 'key_run' };
}

const script = { authenticate, getSession: async () => session };

const grants = ({ headers }: Response) => [...headers].filter(([name]) => name.startsWith('access-control-'));

test('a page of a listed origin reads an answer and its headers', async () => {
  const { app } = scriptedApp(script, { corsOrigins });
  const answer = await app.request(path, { headers: { ...key, Origin: origin } });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('Access-Control-Allow-Origin')).toBe(origin);
  expect(answer.headers.get('Access-Control-Expose-Headers')?.split(', ')).toEqual(
    expect.arrayContaining(['ETag', 'Location', 'Retry-After', 'X-Request-Id']),
  );
  expect(answer.headers.get('Access-Control-Allow-Credentials')).toBeNull();
  expect(answer.headers.get('Vary')).toBe('Origin');
});

test('a page of a listed origin reads a refusal, too', async () => {
  const { app } = scriptedApp({ authenticate }, { corsOrigins });
  const answer = await app.request('/v1/sessions/nonsense', { headers: { ...key, Origin: origin } });
  expect([answer.status, answer.headers.get('Access-Control-Allow-Origin')]).toEqual([400, origin]);
});

test.each([
  'https://app.example.evil',
  'https://other.example',
  'http://app.example',
  'https://app.example:8443',
  'null',
])('a page of %s gets nothing', async (other) => {
  const { app } = scriptedApp(script, { corsOrigins });
  const answer = await app.request(path, { headers: { ...key, Origin: other } });
  const headers = { Origin: other, 'Access-Control-Request-Method': 'POST' };
  const preflight = await app.request('/v1/sessions', { method: 'OPTIONS', headers });
  expect([grants(answer), grants(preflight), preflight.status]).toEqual([[], [], 405]);
  expect(answer.headers.get('Vary')).toBe('Origin');
});

test('no origin is listed by default', async () => {
  const { app } = scriptedApp(script);
  const answer = await app.request(path, { headers: { ...key, Origin: origin } });
  expect([grants(answer), answer.headers.get('Vary')]).toEqual([[], null]);
});

test('a preflight tells the methods and headers, needs no key, and starts nothing', async () => {
  const { app, surprises } = scriptedApp({}, { corsOrigins });
  const headers = {
    Origin: origin,
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key',
  };
  const answer = await app.request('/v1/sessions', { method: 'OPTIONS', headers });
  expect([answer.status, await answer.text()]).toEqual([204, '']);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
    'access-control-max-age': '600',
    vary: 'Origin',
  });
  const allowed = answer.headers.get('Access-Control-Allow-Headers')?.toLowerCase().split(', ');
  expect(allowed).toEqual(expect.arrayContaining(['authorization', 'content-type', 'idempotency-key', 'range']));
  expect(surprises).toEqual([]);
});

test('a step that is answered without hono has the same headers', async () => {
  const { url } = await servedApp({ authenticate }, { corsOrigins });
  const headers = { ...key, 'Content-Type': 'application/json', Origin: origin };
  const answer = await fetch(`${url}${path}/steps`, { method: 'POST', headers, body: '{"code": 1}' });
  expect([answer.status, answer.headers.get('Access-Control-Allow-Origin')]).toEqual([400, origin]);
});

test('a listed origin does not take the place of a key on a server that needs none from its own machine', async () => {
  const keyless = { ...script, authenticate: async () => ({ ...(await authenticate()), keyId: null }) };
  const { app } = scriptedApp(keyless, { corsOrigins });
  const headers = { Host: 'localhost', Origin: origin };
  const answer = await app.request(path, { headers });
  expect([answer.status, answer.headers.get('Access-Control-Allow-Origin')]).toEqual([403, origin]);
});
