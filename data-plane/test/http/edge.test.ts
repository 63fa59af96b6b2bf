import openapi from '@holdfast/specs/openapi.json' with { type: 'json' };
import { Problem } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { asJson, asRun, scriptedApp } from './scripted-app.ts';
import { scriptedStep } from './scripted-step.ts';
import { session, sessionId } from './scripted-verbs.ts';

test('the app has exactly the operations of the OpenAPI document, beside /mcp, whose protocol describes itself', () => {
  const { app } = scriptedApp({});
  const served = app.routes
    .filter(({ method, path }) => method !== 'ALL' && path !== '/mcp')
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
  const documented = Object.entries(openapi.paths).flatMap(([path, item]) =>
    // A path within a workspace is all the rest of the URL.
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replace(/\{(path|filename)\}$/, '*')}`),
  );
  expect([...new Set(served)].sort()).toEqual(documented.sort());
});

test('a created session is answered with 201, its place, and what the caller asked for', async () => {
  const asked: unknown[] = [];
  const { app } = scriptedApp({
    createSession: async (input) => {
      asked.push(input);
      return session;
    },
  });
  const headers = { ...asJson, 'Idempotency-Key': 'once' };
  const response = await app.request('/v1/sessions', { method: 'POST', headers, body: '{"language":"node"}' });
  expect(response.status).toBe(201);
  expect(response.headers.get('location')).toBe(`/v1/sessions/${sessionId}`);
  expect(await response.json()).toEqual(session);
  expect(asked).toMatchObject([
    { idempotencyKey: 'once', caller: { tenant: 'acme' }, request: { language: 'node', metadata: {}, env: {} } },
  ]);
});

test('a session is created without any body', async () => {
  const { app } = scriptedApp({ createSession: async () => session });
  expect((await app.request('/v1/sessions', { method: 'POST', headers: asRun })).status).toBe(201);
});

test('list filters come as statuses and pairs; a value may hold colons', async () => {
  const asked: unknown[] = [];
  const { app } = scriptedApp({
    listSessions: async (input) => {
      asked.push(input);
      return { items: [], nextCursor: null };
    },
  });
  const query = 'status=active&status=failed&metadata=a:b:c&metadata=d:&limit=7';
  expect((await app.request(`/v1/sessions?${query}`, { headers: asRun })).status).toBe(200);
  expect(asked).toMatchObject([{ statuses: ['active', 'failed'], metadata: { a: 'b:c', d: '' }, limit: 7 }]);
});

test.each([
  ['gone', 204],
  ['ending', 202],
] as const)('a deleted session whose sandbox is %s is answered with %i', async (state, status) => {
  const { app } = scriptedApp({ deleteSession: async () => state });
  const response = await app.request(`/v1/sessions/${sessionId}`, { method: 'DELETE', headers: asRun });
  expect(response.status).toBe(status);
  expect(await response.text()).toBe('');
});

test('a problem is answered with its fields and Retry-After, and its cause goes to the log alone', async () => {
  const cause = new Error('connect ECONNREFUSED 10.1.2.3');
  const problem = new Problem('sandbox-unreachable', { detail: 'try again', retryAfterSeconds: 2, cause });
  const { app, lines } = scriptedApp({ getSession: () => Promise.reject(problem) });
  const response = await app.request(`/v1/sessions/${sessionId}`, { headers: asRun });
  const text = await response.text();
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('2');
  expect(text).toContain('try again');
  expect(text).not.toContain('10.1.2.3');
  expect(lines.join()).toContain('10.1.2.3');
});

test('a port at which nothing listens causes an ordinary line in the log, since only the code in a sandbox decides about that', async () => {
  const problem = new Problem('port-closed', { detail: 'nothing listens', cause: new Error('connect ECONNREFUSED') });
  const { app, lines } = scriptedApp({ openPort: () => Promise.reject(problem) });
  const body = JSON.stringify({ port: 8000, waitSeconds: 1 });
  const response = await app.request(`/v1/sessions/${sessionId}/ports`, { method: 'POST', headers: asJson, body });
  expect(response.status).toBe(502);
  const [line, ...more] = lines.map((one) => JSON.parse(one));
  expect([line.level, line.problem, line.err, more]).toEqual(['info', 'port-closed', undefined, []]);
});

test('the answer to an unexpected error tells nothing of its cause', async () => {
  const { app, lines } = scriptedApp({ getSession: () => Promise.reject(new Error('relation "sessions" is gone')) });
  const response = await app.request(`/v1/sessions/${sessionId}`, { headers: asRun });
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain('relation');
  expect(lines.join()).toContain('relation');
});

test('every request is logged once, by route and outcome, without key, code or environment', async () => {
  const step = scriptedStep(sessionId);
  const { app, lines } = scriptedApp({ runStep: async () => step });
  step.finish();
  const init = { method: 'POST', headers: { ...asJson, 'X-Request-Id': 'mine' }, body: '{"code":"topsecret"}' };
  const response = await app.request(`/v1/sessions/${sessionId}/steps`, init);
  expect(await response.json()).toMatchObject({ id: step.id, status: 'succeeded' });
  expect(response.headers.get('x-request-id')).toBe('mine');
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] as string)).toMatchObject({
    requestId: 'mine',
    method: 'POST',
    route: '/v1/sessions/:sessionId/steps',
    status: 200,
    tenant: 'acme',
    stepId: step.id,
  });
  expect(lines.join()).not.toMatch(/topsecret|Bearer/);
});

test('a request id that could break a log or a header is replaced', async () => {
  const { app } = scriptedApp({});
  const response = await app.request('/healthz', { headers: { 'X-Request-Id': 'a b' } });
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});

test('bypassed agent authentication shows on every answer, also on refusals', async () => {
  const { app } = scriptedApp({}, { agentAuthBypassed: true });
  for (const path of ['/healthz', '/nowhere', '/v1/sessions']) {
    expect((await app.request(path)).headers.get('holdfast-insecure')).toBe('agent-auth-bypassed');
  }
});

test('an empty key counts as none, so that one command serves with and without keys', async () => {
  const keys: (string | null)[] = [];
  const { app } = scriptedApp({
    authenticate: async (key) => {
      keys.push(key);
      return { tenant: 'dev', scopes: new Set(['run']), keyId: null };
    },
    getSession: async () => session,
  });
  for (const headers of [
    {},
    { Authorization: 'Bearer ' },
    { 'X-API-Key': '' },
    { Authorization: 'bearer  k1' },
  ] as const) {
    expect((await app.request(`/v1/sessions/${sessionId}`, { headers })).status).toBe(200);
  }
  expect(keys).toEqual([null, null, null, 'k1']);
});

test('readiness is 200 or 503, health, metrics and documents need no key', async () => {
  let ready = true;
  const { app } = scriptedApp({
    readiness: async () => ({ ready, checks: { database: 'ok' }, agentAuthBypassed: false }),
  });
  expect((await app.request('/readyz')).status).toBe(200);
  ready = false;
  expect((await app.request('/readyz')).status).toBe(503);
  const metrics = await (await app.request('/metrics')).text();
  expect(metrics).toMatch(
    /holdfast_http_request_duration_seconds_count\{route="\/readyz",method="GET",status="5xx"\} 1/,
  );
  expect(metrics).toContain('holdfast_agent_auth_bypassed 0');
  expect(await (await app.request('/openapi.json')).json()).toEqual(openapi);
  const docs = await app.request('/docs');
  expect(docs.headers.get('content-security-policy')).toContain("default-src 'none'");
});

test('an unknown path adds no label of its own to the metrics', async () => {
  const { app } = scriptedApp({});
  await app.request('/secret-path-1', { method: 'BREW' });
  const metrics = await (await app.request('/metrics')).text();
  expect(metrics).toContain('route="unknown",method="other",status="4xx"');
  expect(metrics).not.toContain('secret-path');
});
