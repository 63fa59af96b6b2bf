import { once } from 'node:events';
import { connect } from 'node:net';
import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';

let agent: AgentUnderTest;
beforeAll(async () => {
  agent = await startAgent();
});
afterAll(async () => {
  expect((await agent.run({ code: '6 * 7' })).value).toBe('42');
  await agent[Symbol.asyncDispose]();
});

const json = { 'content-type': 'application/json' };
const step = { stepId: newId('stp'), contextId: 'python', code: '1', timeoutMs: 1000, queue: 'wait' };

const requests: [name: string, method: string, path: string, body: string, status: number, pointers?: string[]][] = [
  ['malformed JSON', 'POST', '/v1/steps', '{"code":', 400],
  ['an empty body', 'POST', '/v1/steps', '', 400],
  ['a list', 'POST', '/v1/steps', '[]', 400, ['']],
  ['deep nesting', 'POST', '/v1/steps', '['.repeat(100_000), 400],
  [
    'faults everywhere',
    'POST',
    '/v1/steps',
    JSON.stringify({ ...step, stepId: 'x', timeoutMs: 0, extra: 1 }),
    400,
    ['/stepId', '/timeoutMs', '/extra'],
  ],
  [
    'a language that cannot be a name',
    'POST',
    '/v1/contexts',
    JSON.stringify({ contextId: newId('ctx'), language: 'No language' }),
    400,
    ['/language'],
  ],
  [
    'a language other than that of the context',
    'POST',
    '/v1/steps',
    JSON.stringify({ ...step, language: 'node' }),
    400,
    ['/language'],
  ],
  ['an unknown context', 'POST', '/v1/steps', JSON.stringify({ ...step, contextId: newId('ctx') }), 404],
  [
    'a reserved variable',
    'PUT',
    '/v1/session',
    JSON.stringify({ language: 'python', env: { HOLDFAST_X: '1' } }),
    400,
    ['/env/HOLDFAST_X'],
  ],
  ['an invalid id', 'POST', '/v1/steps/nonsense/interrupt', '', 400, ['path/stepId']],
  ['an unknown step', 'POST', `/v1/steps/${newId('stp')}/interrupt`, '', 404],
  ['an invalid context id', 'DELETE', '/v1/contexts/..%2f..', '', 400, ['path/contextId']],
  ['an unknown endpoint', 'GET', '/v1/nothing', '', 404],
  ['a short nonce', 'POST', '/v1/proof', '{"nonce":"abc"}', 400, ['/nonce']],
  ['too many acks', 'POST', '/v1/acks', JSON.stringify({ stepIds: Array(10_001).fill(step.stepId) }), 400],
  ['a large step', 'POST', '/v1/steps', JSON.stringify({ ...step, code: 'x'.repeat(8 * 1024 * 1024) }), 413],
  ['a large bind', 'PUT', '/v1/session', ' '.repeat(1024 * 1024 + 1), 413],
];

test.for(requests)(
  'answers %s with a problem and continues to work',
  async ([, method, path, body, status, pointers]) => {
    const answer = await agent.call(method, path, method === 'GET' || body === '' ? undefined : body, json);
    expect([answer.status, answer.body.status]).toEqual([status, status]);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    const found = (answer.body.errors ?? []).map((fault: { pointer: string }) => fault.pointer).toSorted();
    expect(found).toEqual(pointers ? pointers.toSorted() : expect.anything());
  },
);

test('rejects a body of another type', async () => {
  const answer = await agent.call('POST', '/v1/steps', JSON.stringify(step), { 'content-type': 'text/plain' });
  expect(answer.status).toBe(415);
});

test('rejects bytes that are not UTF-8', async () => {
  const response = await fetch(`${agent.url}/v1/steps`, {
    method: 'POST',
    headers: { ...json, authorization: `Bearer ${agent.token}` },
    body: Buffer.from([0x22, 0xff, 0x22]),
  });
  expect(response.status).toBe(400);
});

test('rejects a huge body without a length while it comes', async () => {
  const chunk = Buffer.alloc(1024 * 1024, 32);
  async function* endless() {
    for (let sent = 0; sent < 32; sent++) yield chunk;
  }
  const outcome = await fetch(`${agent.url}/v1/steps`, {
    method: 'POST',
    headers: { ...json, authorization: `Bearer ${agent.token}` },
    body: endless(),
    duplex: 'half',
  } as RequestInit).then(
    ({ status }) => status,
    () => 'the connection was closed first',
  );
  expect([413, 'the connection was closed first']).toContain(outcome);
  expect((await agent.call('GET', '/v1/steps')).body.steps).toEqual([]);
});

test.for(['GET / HTTP/9.9\r\n\r\n', '\0\0\0\0\0\0\r\n\r\n', 'POST /v1/steps HTTP/1.1\r\nContent-Length: -1\r\n\r\n'])(
  'reveals nothing internal to a request that is not HTTP: %j',
  async (bytes) => {
    const socket = connect(Number(new URL(agent.url).port), '127.0.0.1');
    socket.end(bytes);
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    await once(socket, 'close');
    expect(answer.split('\r\n')[0]).toMatch(/^(HTTP\/1\.1 4\d\d .*|HTTP\/1\.1 505 .*)$/);
  },
);
