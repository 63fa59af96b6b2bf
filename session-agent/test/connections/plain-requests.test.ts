import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';
import { until } from '../support/until.ts';

let agent: AgentUnderTest;
beforeAll(async () => {
  agent = await startAgent();
  expect((await agent.run({ code: '6 * 7' })).value).toBe('42');
});
afterAll(() => agent[Symbol.asyncDispose]());

/** A connection of which the test sees every byte. */
function dial() {
  const socket = connect(Number(new URL(agent.url).port), '127.0.0.1');
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  return { socket, received: () => received, [Symbol.dispose]: () => socket.destroy() };
}

const step = (code: string) => ({ stepId: newId('stp'), contextId: 'python', code, timeoutMs: 9000, queue: 'wait' });

type Parts = { token?: string; more?: string; body?: string; length?: number };

function stepRequest(code: string, { token = agent.token, more = '', body, length }: Parts = {}): string {
  const text = body ?? JSON.stringify(step(code));
  return `POST /v1/steps HTTP/1.1\r\nHost: agent\r\nConnection: keep-alive\r\nAuthorization: Bearer ${token}\r\n${more}Content-Type: application/json\r\nContent-Length: ${length ?? Buffer.byteLength(text)}\r\n\r\n${text}`;
}

const statusesIn = (received: string) => [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
const endsIn = (received: string) => [...received.matchAll(/"status":"(\w+)"/g)].map(([, status]) => status);

/** A header that no plain request has, so that Node's own server reads it. */
const unknown = 'X-Other: 1\r\n';

describe.each([
  ['that is plain', ''],
  ['with another header', unknown],
])('a request %s', (_title, more) => {
  test.for<[string, () => string, string]>([
    ['a step that succeeds', () => stepRequest('1', { more }), '200'],
    ['a step that fails', () => stepRequest('1/0', { more }), '200'],
    ['a token that is not valid', () => stepRequest('1', { more, token: 'a.b.c' }), '401'],
    ['a body that is not JSON', () => stepRequest('', { more, body: '{' }), '400'],
    ['a body that is not a step', () => stepRequest('', { more, body: '{"stepId":1}' }), '400'],
    [
      'an unknown context',
      () => stepRequest('', { more, body: JSON.stringify({ ...step(''), contextId: newId('ctx') }) }),
      '404',
    ],
  ])('gets its answer for %s, and the connection stays', async ([, bytes, status]) => {
    using connection = dial();
    connection.socket.write(bytes());
    await until('an answer', () => statusesIn(connection.received()).length === 1, 9000);
    connection.socket.write(stepRequest('print("again")', { more }));
    await until('the next answer', () => connection.received().includes('again\n'), 9000);
    expect(statusesIn(connection.received())).toEqual([status, '200']);
  });

  test('gets output while the code runs, and the end of it', async () => {
    using connection = dial();
    const code =
      'import time\nprint("first", flush=True)\nwhile not __import__("os").path.exists("go"): time.sleep(0.01)\nprint("x" * 300000)';
    connection.socket.write(stepRequest(code, { more }));
    await until('the first line', () => connection.received().includes('first\n'), 9000);
    expect(connection.received().toLowerCase()).toContain('transfer-encoding: chunked');
    await agent.run({ language: 'bash', contextId: 'bash', code: 'touch go' });
    await until('the end', () => connection.received().endsWith('0\r\n\r\n'), 9000);
    await agent.run({ language: 'bash', contextId: 'bash', code: 'rm go' });
    const lengths = [...connection.received().matchAll(/^([0-9a-f]+)\r$/gm)].map(([, hex]) =>
      Number.parseInt(String(hex), 16),
    );
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBeGreaterThan(300_000);
  });

  test('keeps running if its client leaves', async () => {
    const connection = dial();
    const body = JSON.stringify(
      step('open("left", "w").close(); import time; time.sleep(0.2); open("after", "w").close()'),
    );
    connection.socket.write(stepRequest('', { more, body }));
    await until('the step to run', async () => (await agent.call('GET', '/v1/files/list')).body.items.length > 0, 9000);
    connection.socket.destroy();
    const { stepId } = JSON.parse(body);
    const frames = await agent.attach(stepId);
    let last = '';
    for await (const frame of frames) last = frame.text;
    expect(JSON.parse(last)).toMatchObject({ status: 'succeeded' });
    await agent.run({ language: 'bash', contextId: 'bash', code: 'rm -f left after' });
  });
});

test('one connection serves requests of both kinds in turn', async () => {
  using connection = dial();
  const kinds = ['', unknown, '', '', unknown, unknown, ''];
  for (const [index, more] of kinds.entries()) {
    connection.socket.write(stepRequest(`print("number ${index}")`, { more }));
    await until(`answer ${index}`, () => connection.received().includes(`number ${index}\n`), 9000);
  }
  expect(statusesIn(connection.received())).toEqual(kinds.map(() => '200'));
});

const inPieces = (bytes: string, size: number) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.slice(at * size, (at + 1) * size));

async function writeEach(socket: Socket, pieces: string[]): Promise<void> {
  socket.setNoDelay(true);
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test.each([1, 100, 400])('reads a request that comes in pieces of %i bytes', async (size) => {
  using connection = dial();
  await writeEach(connection.socket, inPieces(stepRequest('print("whole")'), size));
  await until('the answer', () => connection.received().includes('whole\n'), 9000);
  connection.socket.write(stepRequest('print("next")'));
  await until('the next answer', () => connection.received().includes('next\n'), 9000);
});

test('answers requests that are sent before the answers to earlier ones, in their order', async () => {
  using connection = dial();
  const [first, second, third] = ['a', 'b', 'c'].map((name) =>
    stepRequest(`import time; time.sleep(0.1); print("${name}-${name}")`),
  );
  connection.socket.write(first as string);
  await until(
    'the first step to be taken',
    async () => (await agent.call('GET', '/v1/steps')).body.steps.length > 0,
    9000,
  );
  connection.socket.write(second as string);
  connection.socket.write(third as string);
  await until('all answers', () => endsIn(connection.received()).length === 3, 9000);
  expect(connection.received().match(/[abc]-[abc]/g)).toEqual(['a-a', 'b-b', 'c-c']);
});

test('a client that has ended its side gets its answer', async () => {
  using connection = dial();
  connection.socket.end(stepRequest('import time; time.sleep(0.1); print("late")'));
  await once(connection.socket, 'end');
  expect(connection.received()).toContain('late\n');
});

test('a body that is longer than its length is not taken for a plain one', async () => {
  using connection = dial();
  const text = JSON.stringify(step('1'));
  connection.socket.write(stepRequest('', { body: text, length: text.length - 1 }));
  await until('the answers', () => statusesIn(connection.received()).length > 0, 9000);
  expect(statusesIn(connection.received())[0]).toBe('400');
});
