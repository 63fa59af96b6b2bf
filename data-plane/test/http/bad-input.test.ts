import type { ProblemBody } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { asJson, asRun, scriptedApp } from './scripted-app.ts';
import { sessionId, stepId } from './scripted-verbs.ts';

type Row = {
  name: string;
  path: string;
  init?: RequestInit;
  status: number;
  code: string;
  pointers?: string[];
  detail?: RegExp;
};

const post = (body: string | Buffer, headers: Record<string, string> = asJson): RequestInit => ({
  method: 'POST',
  body,
  headers,
});
const json = (body: unknown) => post(JSON.stringify(body));
const steps = `/v1/sessions/${sessionId}/steps`;
const invalid = { status: 400, code: 'invalid-request' };

const rows: Row[] = [
  {
    name: 'malformed JSON',
    path: steps,
    init: post('{"code": "hunter2",}'),
    ...invalid,
    pointers: [''],
    detail: /line 1, column 20/,
  },
  { name: 'JSON cut off', path: steps, init: post('{"code": "hunter2"'), ...invalid, pointers: [''] },
  {
    name: 'invalid UTF-8',
    path: steps,
    init: post(Buffer.from([0x22, 0xff, 0x22])),
    ...invalid,
    pointers: [''],
    detail: /UTF-8/,
  },
  { name: 'an empty body', path: steps, init: post(''), ...invalid, pointers: [''] },
  { name: 'an array as body', path: steps, init: json([1]), ...invalid, pointers: [''] },
  {
    name: 'wrong types',
    path: steps,
    init: json({ code: 1, timeoutSeconds: '5' }),
    ...invalid,
    pointers: ['/code', '/timeoutSeconds'],
  },
  {
    name: 'unknown fields',
    path: steps,
    init: json({ code: '', 'a/b~': 1, c: 2 }),
    ...invalid,
    pointers: ['/a~1b~0', '/c'],
  },
  {
    name: 'a language that cannot be a name',
    path: '/v1/sessions',
    init: json({ language: 'No language' }),
    ...invalid,
    pointers: ['/language'],
  },
  { name: 'a null body where none is needed', path: '/v1/sessions', init: post('null'), ...invalid, pointers: [''] },
  {
    name: 'a variable name that is none',
    path: '/v1/sessions',
    init: json({ env: { '1A': 'x' } }),
    ...invalid,
    pointers: ['/env/1A'],
  },
  {
    name: 'an id that is none',
    path: '/v1/sessions/nope',
    init: { headers: asRun },
    ...invalid,
    pointers: ['path/sessionId'],
  },
  {
    name: 'a broken escape in an id',
    path: '/v1/sessions/%zz',
    init: { headers: asRun },
    ...invalid,
    pointers: ['path/sessionId'],
  },
  { name: 'code with NUL', path: steps, init: json({ code: 'a\0b' }), ...invalid, pointers: ['/code'] },
  {
    name: 'code with a lone surrogate',
    path: steps,
    init: post('{"code": "\\ud800"}'),
    ...invalid,
    pointers: ['/code'],
  },
  {
    name: 'an absurd timeout',
    path: steps,
    init: json({ code: '', timeoutSeconds: 1e9 }),
    ...invalid,
    pointers: ['/timeoutSeconds'],
  },
  {
    name: 'a negative timeout',
    path: steps,
    init: json({ code: '', timeoutSeconds: -1 }),
    ...invalid,
    pointers: ['/timeoutSeconds'],
  },
  {
    name: 'unknown query parameters',
    path: `${steps}?limit=0&x=1`,
    init: { headers: asRun },
    ...invalid,
    pointers: ['query/limit', 'query/x'],
  },
  {
    name: 'a single parameter given twice',
    path: `${steps}?limit=1&limit=2`,
    init: { headers: asRun },
    ...invalid,
    pointers: ['query/limit'],
    detail: /must be given once/,
  },
  {
    name: 'a status that is none',
    path: '/v1/sessions?status=asleep',
    init: { headers: asRun },
    ...invalid,
    pointers: ['query/status/0'],
  },
  {
    name: 'an Idempotency-Key with spaces',
    path: '/v1/sessions',
    init: post('{}', { ...asJson, 'Idempotency-Key': 'a b' }),
    ...invalid,
    pointers: ['header/idempotency-key'],
  },
  {
    name: 'a Last-Event-ID that is no number',
    path: `${steps}/${stepId}/events`,
    init: { headers: { ...asRun, 'Last-Event-ID': 'x' } },
    ...invalid,
    pointers: ['header/last-event-id'],
  },
  {
    name: 'a wait of over a minute',
    path: `${steps}/${stepId}?waitSeconds=61`,
    init: { headers: asRun },
    ...invalid,
    pointers: ['query/waitSeconds'],
  },
  {
    name: 'a wait that is no time',
    path: `${steps}/${stepId}?waitSeconds=soon`,
    init: { headers: asRun },
    ...invalid,
    pointers: ['query/waitSeconds'],
  },
  {
    name: "a step's variable that is ours, and its input as a word",
    path: steps,
    init: json({ code: '', env: { HOLDFAST_PYTHON: 'hunter2' }, stdin: 'yes' }),
    ...invalid,
    pointers: ['/env/HOLDFAST_PYTHON', '/stdin'],
  },
  {
    name: 'input that is no text',
    path: `${steps}/${stepId}/stdin`,
    init: json({ text: ['hunter2'] }),
    ...invalid,
    pointers: ['/text'],
  },
  {
    name: 'input that is left out, which is not the end of input',
    path: `${steps}/${stepId}/stdin`,
    init: json({}),
    ...invalid,
    pointers: ['/text'],
  },
  {
    name: 'a stream that is none',
    path: `${steps}/${stepId}/output/stdlog`,
    init: { headers: asRun },
    ...invalid,
    pointers: ['path/stream'],
  },
  {
    name: 'a cursor behind the code',
    path: `/v1/sessions/${sessionId}/contexts/python/complete`,
    init: json({ code: 'a', cursor: 2 }),
    ...invalid,
    pointers: ['/cursor'],
  },
  {
    name: 'a context whose id cannot be a language',
    path: `/v1/sessions/${sessionId}/contexts/No%20language/background?after=-1`,
    init: { headers: asRun },
    ...invalid,
    pointers: ['path/contextId', 'query/after'],
  },
  {
    name: 'faults everywhere',
    path: '/v1/sessions/nope/steps?x=1',
    init: post('{"code": 1, "y": 2}', { ...asJson, 'Idempotency-Key': 'a b' }),
    ...invalid,
    pointers: ['path/sessionId', 'query/x', 'header/idempotency-key', '/code', '/y'],
  },
  {
    name: 'a body where none belongs',
    path: `/v1/sessions/${sessionId}/complete`,
    init: json({ a: 1 }),
    ...invalid,
    pointers: ['/a'],
  },
  {
    name: 'a body over the limit',
    path: steps,
    init: json({ code: 'x'.repeat(5000) }),
    status: 413,
    code: 'body-too-large',
  },
  {
    name: 'another content type',
    path: steps,
    init: post('code=1', { ...asRun, 'Content-Type': 'text/plain' }),
    status: 415,
    code: 'unsupported-media-type',
  },
  {
    name: 'a compressed body',
    path: steps,
    init: post('{}', { ...asJson, 'Content-Encoding': 'gzip' }),
    status: 415,
    code: 'unsupported-media-type',
  },
  { name: 'no key', path: steps, status: 401, code: 'unauthenticated' },
  {
    name: 'a wrong key',
    path: steps,
    init: { headers: { 'X-API-Key': 'guess' } },
    status: 401,
    code: 'unauthenticated',
  },
  {
    name: 'another scheme',
    path: steps,
    init: { headers: { Authorization: 'Basic cnVuOg==' } },
    status: 401,
    code: 'unauthenticated',
  },
  { name: 'two different keys', path: steps, init: { headers: { ...asRun, 'X-API-Key': 'admin' } }, ...invalid },
  {
    name: 'a key without the scope',
    path: '/v1/api-keys',
    init: { headers: asRun },
    status: 403,
    code: 'forbidden',
    detail: /admin/,
  },
  { name: 'an unknown path', path: '/v1/nothing', init: { headers: asRun }, status: 404, code: 'not-found' },
  {
    name: 'a path with a slash too many',
    path: '/v1/sessions/',
    init: { headers: asRun },
    status: 404,
    code: 'not-found',
  },
];

test.each(rows)(
  '$name is refused with $status $code, every fault named, and nothing is done',
  async ({ path, init, status, code, pointers, detail }) => {
    const { app, surprises } = scriptedApp({}, { bodyBytesMax: 4096 });
    const response = await app.request(path, init);
    const text = await response.text();
    const body = JSON.parse(text) as ProblemBody;
    expect(body).toMatchObject({
      status,
      code,
      type: `/docs#problem-${code}`,
      requestId: response.headers.get('x-request-id'),
    });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    const found = body.errors?.map(({ pointer }) => pointer);
    expect(found).toEqual(pointers ?? found);
    expect(text).toMatch(detail ?? '');
    expect(text).not.toContain('hunter2');
    expect(surprises).toEqual([]);
  },
);

test('a request with thousands of faults gets a bounded answer that tells their number', async () => {
  const { app } = scriptedApp({});
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`field${index}`, 1]));
  const body = (await (await app.request(steps, json({ code: '', ...many }))).json()) as ProblemBody;
  expect(body.detail).toBe('5000 faults');
  expect(body.errors).toHaveLength(100);
});

test('a known path with another method is refused with 405 and the methods that it knows', async () => {
  const { app } = scriptedApp({});
  const response = await app.request(steps, { method: 'DELETE', headers: asRun });
  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toBe('GET, HEAD, POST');
});
