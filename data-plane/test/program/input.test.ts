import type { Step, StepEvent } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeKubernetes, startFakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startReplicaOnKubernetes } from '../support/start-on-kubernetes.ts';

type Replica = Awaited<ReturnType<typeof startReplicaOnKubernetes>>;

let fake: FakeKubernetes;
let database: TestDatabase;
/** The one that runs the steps, and one that never heard of them. */
let here: Replica;
let there: Replica;
let sessionId: string;

beforeAll(async () => {
  fake = await startFakeKubernetes();
  database = await createTestDatabase();
  const start = () => startReplicaOnKubernetes(fake, { DATABASE_URL: database.url });
  [here, there] = await Promise.all([start(), start()]);
  sessionId = (await here.createSession()).id;
}, 60_000);

afterAll(async () => {
  await Promise.all([here, there].map((replica) => replica[Symbol.asyncDispose]()));
  await database.drop();
  await fake.close();
}, 60_000);

const at = (stepId: string, rest = '') => `/v1/sessions/${sessionId}/steps/${stepId}${rest}`;
const ask = (code: string, headers = {}) => here.runStep(sessionId, { code, stdin: true }, headers);
const give = (replica: Replica, stepId: string, text: string | null, headers = {}) =>
  replica.request('POST', at(stepId, '/stdin'), { text }, headers);
const read = async (replica: Replica, stepId: string, waitSeconds = 30): Promise<Step> =>
  (await replica.request('GET', at(stepId, `?waitSeconds=${waitSeconds}`))).body;
const shown = ({ results }: Step) => results[0]?.data['text/plain'];
const need = (prompt: string, password = false) => ({
  status: 'running',
  finishedAt: null,
  outcome: { tag: 'needs', what: 'stdin', prompt, password },
});

test('code that asks for input gets it, and the request is answered with the unfinished step until then', async () => {
  const step = await ask('print("hello", flush=True); input("Name: ")');
  expect(step).toMatchObject({ ...need('Name: '), stdout: 'hello\n' });
  expect(await read(here, step.id, 0)).toMatchObject(need('Name: '));
  expect(await give(here, step.id, 'Ada')).toMatchObject({ status: 204, body: null });
  const ended = await read(here, step.id);
  expect([ended.status, shown(ended)]).toEqual(['succeeded', "'Ada'"]);
});

test('input reaches a step through any replica, and a request for input is not reported after its answer', async () => {
  const asked = 6;
  const step = await ask(`[input(f"{i}: ") for i in range(${asked})]`);
  let known = step;
  for (let i = 0; i < asked; i++) {
    const [first, second] = i % 2 === 0 ? [here, there] : [there, here];
    expect(known).toMatchObject(need(`${i}: `));
    expect(await read(first, step.id, 0)).toMatchObject(need(`${i}: `));
    expect(await read(second, step.id)).toMatchObject(need(`${i}: `));
    expect((await give(first, step.id, String(i))).status).toBe(204);
    known = await read(second, step.id);
  }
  expect([known.status, shown(known)]).toEqual(['succeeded', "['0', '1', '2', '3', '4', '5']"]);
});

test('a waiting client on either replica learns of the next request for input, not of the previous one', async () => {
  const step = await ask('import time\nfirst = input("1")\ntime.sleep(0.2)\nsecond = input("2")\nfirst + second');
  expect((await give(there, step.id, 'a')).status).toBe(204);
  const next = await Promise.all([read(here, step.id), read(there, step.id)]);
  expect(next).toMatchObject([need('2'), need('2')]);
  expect((await give(here, step.id, 'b')).status).toBe(204);
  const ended = await Promise.all([read(here, step.id), read(there, step.id)]);
  expect(ended.map(shown)).toEqual(["'ab'", "'ab'"]);
});

test('a wait ends when its time is over if the step needs nothing new', async () => {
  const step = await ask('import time\n_ = input("once")\ntime.sleep(3)');
  await give(here, step.id, '');
  for (const replica of [here, there]) {
    expect(await read(replica, step.id, 0.3)).toMatchObject({ status: 'running', outcome: null });
  }
  await here.request('POST', at(step.id, '/interrupt'));
});

test('a repeated request finds the step waiting like the first one, and gets the same result', async () => {
  const once = { 'idempotency-key': 'asks-for-input' };
  const step = await ask('input("PIN: ")', once);
  expect(step).toMatchObject(need('PIN: '));
  const repeat = (replica: Replica) =>
    replica.request('POST', `/v1/sessions/${sessionId}/steps`, { code: 'input("PIN: ")', stdin: true }, once);
  for (const replica of [here, there])
    expect(await repeat(replica)).toMatchObject({ status: 200, body: { id: step.id, ...need('PIN: ') } });
  await give(there, step.id, '1234');
  const ended = await read(there, step.id);
  expect((await repeat(there)).body).toEqual(ended);
});

test('a line that is repeated with its key, through another replica, is read once', async () => {
  const step = await ask('[input("a"), input("b")]');
  const key = { 'idempotency-key': 'line-one' };
  for (const replica of [here, there, here]) expect((await give(replica, step.id, 'one', key)).status).toBe(204);
  await give(there, step.id, 'two', { 'idempotency-key': 'line-two' });
  expect(shown(await read(here, step.id))).toBe("['one', 'two']");
});

test('code sees the end of input, and input is rejected after that and after the step', async () => {
  const step = await ask('try: input()\nexcept EOFError as e: print(type(e).__name__)\nimport time; time.sleep(0.5)');
  expect((await give(there, step.id, null)).status).toBe(204);
  expect(await give(here, step.id, 'late')).toMatchObject({ status: 409, body: { code: 'stdin-closed' } });
  expect(await read(here, step.id)).toMatchObject({ status: 'succeeded', stdout: 'EOFError\n' });
  for (const replica of [here, there])
    expect(await give(replica, step.id, 'later')).toMatchObject({ status: 409, body: { code: 'stdin-closed' } });
});

test('input that was sent ahead is read without a request', async () => {
  const code = 'import os, time\nwhile not os.path.exists("given"): time.sleep(0.02)\ninput("?")';
  const stream = here.streamStep(sessionId, { code, stdin: true });
  const { value: first } = await stream.next();
  expect((await give(there, first?.stepId ?? '', 'ahead')).status).toBe(204);
  expect((await here.request('PUT', `/v1/sessions/${sessionId}/files/given`, {})).status).toBe(201);
  const events: StepEvent[] = [];
  for await (const event of stream) events.push(event);
  expect(events.filter(({ type }) => type === 'result')).toMatchObject([{ data: { 'text/plain': "'ahead'" } }]);
  expect(events.map(({ type }) => type)).not.toContain('input_request');
});

test('a step without stdin fails at once when it asks for input, and says how to allow it', async () => {
  const step = await here.runStep(sessionId, { code: 'input("Name: ")' });
  expect(step.status).toBe('failed');
  expect(step.error?.message).toContain('stdin: true');
  expect(await give(here, step.id, 'x')).toMatchObject({ status: 409, body: { code: 'stdin-closed' } });
});

test('rejects input for an unknown step or session', async () => {
  const unknown = 'stp_01kaf3y2bw4x5y6z7a8b9cdefg';
  expect((await give(here, unknown, 'x')).status).toBe(404);
  const { body } = await here.request('GET', `/v1/sessions/${sessionId}/audit?limit=200`);
  expect(body.items.filter((item: { stepId: string }) => item.stepId === unknown)).toEqual([]);
  const elsewhere = `/v1/sessions/ses_01kaf3xq5t7e8m9n0p1r2s3t4v/steps/${unknown}/stdin`;
  expect((await here.request('POST', elsewhere, { text: 'x' })).status).toBe(404);
});

test('an interrupt through any replica ends a step that waits for input', async () => {
  const step = await ask('input("for ever")');
  await there.request('POST', at(step.id, '/interrupt'));
  // Until the interrupt has its effect, the step needs its input still, which ends each wait.
  await eventually(async () =>
    expect(await read(here, step.id)).toMatchObject({ status: 'interrupted', error: { name: 'KeyboardInterrupt' } }),
  );
});

test('the replay has the request for input as it came', async () => {
  const step = await ask('import getpass; len(getpass.getpass("PIN: "))');
  const live = (async () => {
    const events = [];
    for await (const event of there.followStep(sessionId, step.id)) events.push(event);
    return events;
  })();
  await give(here, step.id, '1234');
  const events = await live;
  expect(events.find(({ type }) => type === 'input_request')).toMatchObject({ prompt: 'PIN: ', password: true });
  await eventually(async () => {
    const replayed = [];
    for await (const event of here.followStep(sessionId, step.id)) replayed.push(event);
    expect(replayed.map(({ type, seq }) => [type, seq])).toEqual(events.map(({ type, seq }) => [type, seq]));
  });
});
