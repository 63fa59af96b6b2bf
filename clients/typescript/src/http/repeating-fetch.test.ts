import { expect, test } from 'vitest';
import { createConnection } from './create-api.ts';
import { HoldfastError } from './holdfast-error.ts';

type Answer = { status: number; body?: object; retryAfter?: string } | 'broken' | 'cut' | 'page';

const session = { id: 'ses_01kaf3xq5t7e8m9n0p1r2s3t4v' };
const problem = (status: number, code: string, retryAfter?: string): Answer => ({
  status,
  body: { code, title: 'Refused', status },
  ...(retryAfter !== undefined && { retryAfter }),
});

/** A connection to a server that gives these answers, one after the other, and the requests that it got. */
function serverOf(answers: Answer[], limits = { reconnectMs: 5000, connectMs: 5000 }) {
  const requests: { method: string; key: string | null; body: string }[] = [];
  const connection = createConnection({
    url: 'http://server.test/',
    apiKey: 'hf_secret',
    limits,
    async fetch(request) {
      requests.push({
        method: request.method,
        key: request.headers.get('Idempotency-Key'),
        body: await request.text(),
      });
      const answer = answers.shift();
      if (!answer || answer === 'broken') throw new TypeError('fetch failed');
      if (answer === 'cut') return new Response(cutBody());
      if (answer === 'page') return new Response('<p>Welcome</p>', { headers: { 'Content-Type': 'text/html' } });
      const headers = new Headers(answer.retryAfter === undefined ? {} : { 'Retry-After': answer.retryAfter });
      return Response.json(answer.body ?? session, { status: answer.status, headers });
    },
  });
  return { ...connection, requests };
}

/** A body that breaks off in its middle. */
function cutBody() {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"id":'));
      setTimeout(() => controller.error(new TypeError('terminated')));
    },
  });
}

const ofSession = { params: { path: { sessionId: session.id } } };

test('repeats a creation with the same key and body after a broken connection', async () => {
  const { api, requests } = serverOf(['broken', problem(503, 'database-unavailable', '0'), { status: 201 }]);
  const { data } = await api.POST('/v1/sessions', { body: { language: 'python' } });
  expect(data?.id).toBe(session.id);
  expect(requests).toHaveLength(3);
  expect(new Set(requests.map(({ key }) => key)).size).toBe(1);
  expect(requests[0]?.key).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set(requests.map(({ body }) => body))).toEqual(new Set(['{"language":"python"}']));
});

test('gives each call a key of its own, and keeps one that the caller chose', async () => {
  const { api, requests } = serverOf([{ status: 201 }, { status: 201 }, { status: 201 }]);
  await api.POST('/v1/sessions', { body: {} });
  await api.POST('/v1/sessions', { body: {} });
  await api.POST('/v1/sessions', { params: { header: { 'Idempotency-Key': 'mine' } }, body: {} });
  expect(requests[0]?.key).not.toBe(requests[1]?.key);
  expect(requests[2]?.key).toBe('mine');
});

test('takes a deletion that was cut off for done if a repeat finds nothing', async () => {
  const cut = serverOf(['broken', problem(404, 'not-found')]);
  await cut.api.DELETE('/v1/sessions/{sessionId}', ofSession);
  expect(cut.requests).toHaveLength(2);
  const { api } = serverOf([problem(503, 'database-unavailable', '0'), problem(404, 'not-found')]);
  await expect(api.DELETE('/v1/sessions/{sessionId}', ofSession)).rejects.toMatchObject({ code: 'not-found' });
});

test('does not repeat what could be done twice', async () => {
  const { api, requests } = serverOf(['broken', { status: 200 }]);
  const sent = api.POST('/v1/sessions/{sessionId}/processes/{processId}/stdin', {
    params: { path: { ...ofSession.params.path, processId: 'prc_1' } },
    body: { text: 'once' },
  });
  await expect(sent).rejects.toMatchObject({ code: 'connection-failed', status: undefined });
  expect(requests).toHaveLength(1);
});

test('repeats it if the server says that it did not begin', async () => {
  const { api, requests } = serverOf([problem(503, 'draining', '0'), { status: 200 }]);
  await api.POST('/v1/sessions/{sessionId}/complete', ofSession);
  expect(requests).toHaveLength(2);
});

test.each([
  [problem(429, 'budget-exceeded'), 'budget-exceeded'],
  [problem(400, 'invalid-request'), 'invalid-request'],
  [problem(500, 'internal'), 'internal'],
  [problem(503, 'database-unavailable', '60'), 'database-unavailable'],
])('throws %j at once', async (answer, code) => {
  const { api, requests } = serverOf([answer, { status: 200 }]);
  await expect(api.GET('/v1/sessions/{sessionId}', ofSession)).rejects.toMatchObject({ code });
  expect(requests).toHaveLength(1);
});

test('waits as long as Retry-After says', async () => {
  const { api } = serverOf([problem(429, 'quota-exceeded', '1'), { status: 200 }]);
  const startMs = Date.now();
  await api.GET('/v1/sessions/{sessionId}', ofSession);
  expect(Date.now() - startMs).toBeGreaterThanOrEqual(990);
});

test('gives up a server that never answers after the time for connecting', async () => {
  const { api, requests } = serverOf([], { reconnectMs: 60_000, connectMs: 600 });
  await expect(api.GET('/v1/sessions/{sessionId}', ofSession)).rejects.toThrow('No answer from http://server.test');
  expect(requests.length).toBeGreaterThan(1);
});

test('an abort ends the wait for the next try with its reason', async () => {
  const { api } = serverOf([problem(503, 'database-unavailable', '4')]);
  const stop = new AbortController();
  const call = api.GET('/v1/sessions/{sessionId}', { ...ofSession, signal: stop.signal });
  const reason = new Error('enough');
  setTimeout(() => stop.abort(reason), 20);
  await expect(call).rejects.toBe(reason);
});

test('an error has the fields of the problem and no key', async () => {
  const body = {
    code: 'invalid-request',
    title: 'The request is not valid',
    status: 400,
    detail: 'one fault',
    errors: [{ pointer: '/code', detail: 'is missing' }],
    requestId: 'req_1',
  };
  const { api } = serverOf([{ status: 400, body }]);
  const error = await api.POST('/v1/sessions', { body: {} }).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(HoldfastError);
  const { title: _, ...fields } = body;
  expect(error).toMatchObject({ ...fields, message: 'The request is not valid: /code is missing' });
  expect(JSON.stringify({ ...error, stack: error.stack })).not.toContain('hf_secret');
});

test('a page of a proxy is an unexpected answer', async () => {
  const { api } = serverOf([{ status: 403, body: { html: true } }]);
  await expect(api.GET('/v1/sessions/{sessionId}', ofSession)).rejects.toMatchObject({
    code: 'unexpected-answer',
    status: 403,
  });
});

test('repeats a request whose answer broke off in its middle, if that is safe', async () => {
  const safe = serverOf(['cut', { status: 200 }]);
  expect((await safe.api.GET('/v1/sessions/{sessionId}', ofSession)).data?.id).toBe(session.id);
  const unsafe = serverOf(['cut', { status: 200 }]);
  const moved = unsafe.api.POST('/v1/sessions/{sessionId}/move', { ...ofSession, body: { from: 'a', to: 'b' } });
  await expect(moved).rejects.toMatchObject({ code: 'connection-failed' });
  expect(unsafe.requests).toHaveLength(1);
});

test('a page in the place of an answer is unexpected', async () => {
  const { api } = serverOf(['page']);
  await expect(api.GET('/v1/sessions/{sessionId}', ofSession)).rejects.toMatchObject({
    code: 'unexpected-answer',
    status: 200,
  });
});
