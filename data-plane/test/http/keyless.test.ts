import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { Caller } from '../../src/sessions/caller.ts';
import { session } from './scripted-verbs.ts';
import { servedApp } from './served-app.ts';

/** Lets in who has no key, as development on loopback does, and who has one. */
async function authenticate(key: string | null): Promise<Caller> {
  return { tenant: 'acme', scopes: new Set(['run']), keyId: key === null ? null : 'key_run' };
}

/** `fetch` sets these headers itself. */
async function createSession(url: string, headers: Record<string, string>) {
  const sent = request(`${url}/v1/sessions`, { method: 'POST', headers }).end();
  const [answer] = await once(sent, 'response');
  return { status: answer.statusCode, body: JSON.parse(await text(answer)) };
}

test.each([
  ['a name that leads here', { Host: 'rebound.example' }, /rebound\.example/],
  ['a page of another site', { Origin: 'https://foreign.example' }, /foreign\.example/],
  ['a page without an origin', { Origin: 'null' }, /null/],
  ['another site', { 'Sec-Fetch-Site': 'cross-site' }, /another site/],
])('without a key, what comes through %s is refused and starts nothing', async (_name, headers, detail) => {
  const { url, surprises } = await servedApp({ authenticate });
  const { status, body } = await createSession(url, headers);
  expect([status, body.code]).toEqual([403, 'forbidden']);
  expect(body.detail).toMatch(detail);
  expect(surprises).toEqual([]);
});

test('without a key, programs and pages of this machine are served', async () => {
  const { url } = await servedApp({ authenticate, createSession: async () => session });
  const page = { Host: 'localhost:8080', Origin: 'http://localhost:3000', 'Sec-Fetch-Site': 'same-site' };
  expect((await createSession(url, {})).status).toBe(201);
  expect((await createSession(url, page)).status).toBe(201);
});

test('a request with a key is served from any site', async () => {
  const { url } = await servedApp({ authenticate, createSession: async () => session });
  const headers = { 'X-API-Key': 'run', Host: 'holdfast.example', Origin: 'https://holdfast.example' };
  expect((await createSession(url, headers)).status).toBe(201);
});
