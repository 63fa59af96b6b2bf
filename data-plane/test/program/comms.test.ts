import type { Step, StepEvent } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';

let installation: Installation;
let holdfast: Holdfast;
let sessionId: string;

const setUp = `
import subprocess, sys
pip = [sys.executable, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', '.packages', 'comm==0.2.3']
subprocess.run(pip, check=True, capture_output=True)
sys.path.insert(0, '.packages')
import comm
def opened(new, message):
    print('opened by', message['content']['data']['by'])
    new.on_close(lambda message: open('closed.txt', 'w').write(str(message['content']['data'])))
    new.send({'hello': message['content']['data']['by']}, buffers=[bytes(part) for part in message['buffers']])
    kept.append(new)
kept = []
comm.get_comm_manager().register_target('greeter', opened)`;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start();
  sessionId = (await holdfast.createSession()).id;
  const made = await holdfast.runStep(sessionId, { code: setUp });
  if (made.status !== 'succeeded') throw new Error(`comm cannot be installed: ${made.error?.message}`);
}, 60_000);

afterAll(() => installation[Symbol.asyncDispose]());

const at = (rest: string) => `/v1/sessions/${sessionId}${rest}`;
const send = (body: object, headers = {}, contextId = 'python') =>
  holdfast.request('POST', at(`/contexts/${contextId}/comms`), body, headers);
const opening = { commId: 'c1', kind: 'open', targetName: 'greeter', data: { by: 'a view' }, buffers: ['AP8='] };

const nested = (depth: number): object => (depth === 1 ? {} : { a: nested(depth - 1) });

async function eventsOf({ id }: Step): Promise<StepEvent[]> {
  const events: StepEvent[] = [];
  for await (const event of holdfast.followStep(sessionId, id)) events.push(event);
  return events;
}

test('a message to a comm runs as a step without code, whose events have both sides', async () => {
  const { status, headers, body } = await send(opening);
  expect(status).toBe(200);
  expect(headers.get('content-location')).toBe(at(`/steps/${body.id}`));
  expect(body).toMatchObject({
    code: '',
    actor: 'user',
    contextId: 'python',
    status: 'succeeded',
    stdout: 'opened by a view\n',
  });
  const comms = (await eventsOf(body)).filter(({ type }) => type === 'comm');
  const message = { commId: 'c1', metadata: {}, buffers: ['AP8='], stepId: body.id, actor: 'user' };
  expect(comms).toMatchObject([
    { ...message, sender: 'client', kind: 'open', targetName: 'greeter', data: { by: 'a view' } },
    { ...message, sender: 'kernel', kind: 'message', targetName: null, data: { hello: 'a view' } },
  ]);
  expect((await holdfast.history(sessionId)).at(-1)).toEqual(body);
});

test("a kernel's own comm is an event of the step that sends it, and its late messages are background output", async () => {
  const code = `
import threading
own = comm.create_comm(target_name='view', data={'n': 1})
threading.Timer(0.3, lambda: own.send({'n': 2})).start()`;
  const step = await holdfast.runStep(sessionId, { code });
  const comms = (await eventsOf(step)).filter(({ type }) => type === 'comm');
  expect(comms).toMatchObject([{ sender: 'kernel', kind: 'open', targetName: 'view', data: { n: 1 } }]);
  await eventually(async () => {
    const { body } = await holdfast.request('GET', at('/contexts/python/background'));
    expect(body.items).toMatchObject([{ stepId: step.id, stream: 'comm', comm: { kind: 'message', data: { n: 2 } } }]);
  });
});

test('handlers that change files have artifacts as other steps have', async () => {
  await send({ ...opening, commId: 'c2' });
  const { body } = await send({ commId: 'c2', kind: 'close', data: { why: 'gone' } });
  expect(body.artifacts).toMatchObject([{ path: 'closed.txt', change: 'created' }]);
});

test('the step fails if no comm has the id, and its events say which message it was', async () => {
  const { status, body } = await send({ commId: 'unknown', data: { n: 1 } });
  expect([status, body.status, body.error?.message]).toEqual([200, 'failed', 'no comm has the id unknown']);
  expect((await eventsOf(body))[1]).toMatchObject({ type: 'comm', sender: 'client', commId: 'unknown' });
});

test('a large and a deep message come as they were sent', async () => {
  const data = { by: nested(98) };
  const buffers = [Buffer.alloc(2_000_000, 7).toString('base64')];
  const { body } = await send({ ...opening, commId: 'large', data, buffers });
  const comms = (await eventsOf(body)).filter(({ type }) => type === 'comm');
  expect(comms).toMatchObject([
    { sender: 'client', data, buffers },
    { sender: 'kernel', data: { hello: data.by }, buffers },
  ]);
});

test('a repeated message with the same Idempotency-Key is handled once', async () => {
  const key = { 'idempotency-key': 'opened-once' };
  const [first, second] = [
    await send({ ...opening, commId: 'c3' }, key),
    await send({ ...opening, commId: 'c3' }, key),
  ];
  expect(second.body).toEqual(first.body);
  const other = await send({ ...opening, commId: 'c4' }, key);
  expect([other.status, other.body.code]).toEqual([422, 'idempotency-mismatch']);
});

test('steps without code leave no gap in the combined code', async () => {
  const { id } = await holdfast.createSession();
  for (const code of ['a = 1', '', 'b = 2']) await holdfast.runStep(id, { code });
  const { body } = await holdfast.request('GET', `/v1/sessions/${id}/context`);
  expect(body.contexts).toMatchObject([{ combinedCode: 'a = 1\n\nb = 2' }]);
});

test('rejects a message of the wrong shape, for an unknown context, and for a language without comms', async () => {
  const faulty = await send({ commId: '', kind: 'open', metadata: [], buffers: ['?'], more: 1 });
  expect(faulty.body.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual(
    ['/buffers/0', '/commId', '/metadata', '/more'].sort(),
  );
  const deep = await send({ commId: 'c', data: nested(101) });
  expect(deep.body.errors).toMatchObject([{ pointer: '/data' }]);
  const pointless = await send({ commId: 'c', targetName: 'greeter' });
  expect(pointless.body.errors).toMatchObject([{ pointer: '/targetName' }]);
  expect((await send({ commId: 'c' }, {}, 'ctx_01kaf3z7hj8k9m0n1p2q3r4s5t')).status).toBe(404);
  const node = await send({ commId: 'c' }, {}, 'node');
  expect([node.status, node.body.code]).toEqual([422, 'unsupported-by-runtime']);
});
