import { operationValueBytesMax, type Step } from '@holdfast/specs/public';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectDatabase } from '../../src/registry/connect.ts';
import { eventually } from '../support/eventually.ts';
import { endOf, hostOf, openStage, type Replica, readAnswering, type Stage, waitsFor } from './stage.ts';

let stage: Stage;
/** The one that runs the steps, and one that never heard of them. */
let here: Replica;
let there: Replica;
/** One whose calls do not wait for long. */
let hasty: Replica;
let sessionId: string;

beforeAll(async () => {
  stage = await openStage();
  [here, there, hasty] = await Promise.all([
    stage.start(),
    stage.start(),
    stage.start({ HOLDFAST_OPERATION_TIMEOUT_SECONDS: '5' }),
  ]);
  sessionId = (await here.createSession()).id;
}, 120_000);
afterAll(() => stage[Symbol.asyncDispose](), 60_000);

const languages = {
  python: 'print("asks"); answer = holdfast.call("llm.complete", "Hi", {"n": 1}); print(answer["text"])',
  node: 'console.log("asks"); const answer = await holdfast.call("llm.complete", "Hi", { n: 1 }); console.log(answer.text)',
  bash: `echo asks; holdfast call llm.complete '"Hi"' '{"n":1}' | sed 's/.*"text":"\\([a-z]*\\)".*/\\1/'`,
} as const;
type Language = keyof typeof languages;

describe.each(Object.keys(languages) as Language[])('code in %s', (language) => {
  const code = languages[language];
  const request = { name: 'llm.complete', arguments: ['Hi', { n: 1 }] };

  test('calls the host, whose request is answered early and whose code gets the value, through either replica', async () => {
    for (const [first, second] of [
      [here, there],
      [there, here],
    ] as const) {
      const step = await here.runStep(sessionId, { code, language });
      const { outcome, id: stepId } = step;
      expect(step).toMatchObject({ status: 'running', finishedAt: null, stdout: 'asks\n' });
      expect(outcome).toMatchObject({ tag: 'needs', what: 'operation', stepId, ...request });
      if (outcome?.tag !== 'needs' || outcome.what !== 'operation') throw new Error('no operation is needed');
      const [operation] = await hostOf(first, sessionId).pending();
      expect(operation).toMatchObject({ id: outcome.operationId, sessionId, stepId, status: 'pending', ...request });
      expect((await hostOf(second, sessionId).step(stepId, 0)).outcome).toEqual(outcome);
      const { status, body } = await hostOf(first, sessionId).answer(outcome.operationId, { value: { text: 'hello' } });
      expect([status, body.status]).toEqual([200, 'succeeded']);
      expect(await hostOf(second, sessionId).step(stepId)).toMatchObject({
        status: 'succeeded',
        stdout: 'asks\nhello\n',
        operations: [{ operationId: outcome.operationId, name: 'llm.complete' }],
      });
      expect(await hostOf(second, sessionId).pending()).toEqual([]);
    }
  });

  test('shows the operation as an event without gaps, live, elsewhere and in the replay', async () => {
    const answer = (operationId: string) =>
      hostOf(there, sessionId).answer(operationId, { value: { text: 'streamed' } });
    const live = await readAnswering(here.streamStep(sessionId, { code, language }), answer);
    expect(live.map(({ seq }) => seq)).toEqual(live.map((_, index) => index + 1));
    expect(live.filter(({ type }) => type === 'operation_request')).toMatchObject([request]);
    const { id, stdout } = endOf(live);
    expect(stdout).toBe('asks\nstreamed\n');
    const replay = [];
    for await (const event of there.followStep(sessionId, id)) replay.push(event);
    expect(replay).toEqual(live);
  });
});

test('a client that names the operation it has seen waits for the next one, on either replica', async () => {
  for (const replica of [here, there]) {
    const code = [
      'import threading',
      'waiting = threading.Thread(target=holdfast.call, args=("open",))',
      'waiting.start()',
      'holdfast.call("gate"); holdfast.call("next"); waiting.join()',
    ].join('\n');
    const { id: stepId } = await here.runStep(sessionId, { code });
    const needed = (step: Step) =>
      step.outcome?.tag === 'needs' && step.outcome.what === 'operation' ? step.outcome : null;
    const [open, gate] = [await waitsFor(here, sessionId, 'open'), await waitsFor(here, sessionId, 'gate')];
    const [earlier, later] = open.createdAt <= gate.createdAt ? [open, gate] : [gate, open];
    const host = hostOf(replica, sessionId);
    expect(needed(await host.step(stepId))).toMatchObject({ operationId: earlier.id });
    expect(needed(await host.step(stepId, 30, earlier.id))).toMatchObject({ operationId: later.id });
    const waiting = host.step(stepId, 30, later.id);
    await host.answer(gate.id, { value: 1 });
    const next = needed(await waiting);
    expect(next).toMatchObject({ name: 'next' });
    for (const id of [next?.operationId, open.id]) await host.answer(id ?? '', { value: 1 });
    expect(await host.step(stepId, 30, next?.operationId)).toMatchObject({ status: 'succeeded' });
  }
});

test('a reader on another replica can answer an operation as soon as it sees it, and sees the same events', async () => {
  for (let round = 0; round < 5; round++) {
    const code = 'memo = holdfast.call("memo.put", "a", 1); holdfast.call("one"), holdfast.call("two")';
    const stream = here.streamStep(sessionId, { code });
    const { value: first } = await stream.next();
    const followed = readAnswering(there.followStep(sessionId, first?.stepId ?? ''), async (operationId, name) => {
      expect((await hostOf(there, sessionId).answer(operationId, { value: name })).status).toBe(200);
    });
    const rest = [];
    for await (const event of stream) rest.push(event);
    // Each replica says when it got an event.
    const timeless = (events: object[]) => events.map((event) => ({ ...event, time: null }));
    expect(timeless([first as object, ...rest])).toEqual(timeless(await followed));
  }
});

test('a reader on another replica sees an operation only once the registry has it', { timeout: 60_000 }, async () => {
  const db = connectDatabase({ url: stage.database.url, poolMax: 2 });
  const code = 'import os, time\nwhile not os.path.exists("go"): time.sleep(0.01)\nholdfast.call("locked")';
  const stream = here.streamStep(sessionId, { code });
  const { value: first } = await stream.next();
  const stepId = first?.stepId ?? '';
  const [locked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const lock = db.transaction(async ({ sql }) => {
    await sql`lock table operations in share row exclusive mode`;
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  const seen = readAnswering(there.followStep(sessionId, stepId), async (operationId) => {
    const { count } = await db.sql`select from operations where id = ${operationId}`;
    release.resolve();
    await hostOf(there, sessionId).answer(operationId, { value: count });
  });
  await fetch(`${here.url}/v1/sessions/${sessionId}/files/go`, { method: 'PUT', body: '' });
  const isAsking = eventually(async () => {
    const { count } = await db.sql`
      select from pg_stat_activity where datname = current_database() and query like '%from operations where id = any%'
        and pid <> pg_backend_pid()`;
    expect(count).toBeGreaterThan(0);
  }, 30_000);
  await Promise.race([isAsking, release.promise]);
  release.resolve();
  await lock;
  for await (const _ of stream);
  expect(endOf(await seen).results[0]?.data['text/plain']).toBe('1');
  await db.close();
});

test('the error of the host is the error that the code gets', async () => {
  const code =
    'try: holdfast.call("a")\nexcept holdfast.OperationError as e: print(e.name, e.message)\nholdfast.call("b")';
  const events = await readAnswering(here.streamStep(sessionId, { code }), (operationId, name) =>
    hostOf(here, sessionId).answer(operationId, { error: { name: 'RateLimited', message: `wait for ${name}` } }),
  );
  expect(endOf(events)).toMatchObject({
    status: 'failed',
    stdout: 'RateLimited wait for a\n',
    error: { name: 'OperationError', message: 'RateLimited: wait for b' },
  });
});

test('the first answer counts; a repeat gets the same answer, another one is refused', async () => {
  const step = await here.runStep(sessionId, { code: 'print(holdfast.call("once"))' });
  const { id } = await waitsFor(there, sessionId, 'once');
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, n) => hostOf(n % 2 ? here : there, sessionId).answer(id, { value: n % 3 })),
  );
  const taken = answers.filter(({ status }) => status === 200);
  expect(taken).toHaveLength(2);
  expect(taken[0]?.body).toEqual(taken[1]?.body);
  for (const refused of answers.filter(({ status }) => status !== 200))
    expect(refused).toMatchObject({ status: 409, body: { code: 'operation-ended' } });
  const { stdout } = await hostOf(here, sessionId).step(step.id);
  const value = Number(stdout);
  expect(await hostOf(there, sessionId).answer(id, { value })).toMatchObject({ status: 200, body: taken[0]?.body });
  expect((await hostOf(there, sessionId).answer(id, { value: value + 1 })).status).toBe(409);
});

test('several calls of a step wait side by side, and are answered in any order', async () => {
  const code = `
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(5) as pool: print(list(pool.map(lambda n: holdfast.call('n', n), range(5))))`;
  const step = await here.runStep(sessionId, { code });
  const pending = async () => (await hostOf(there, sessionId).pending()).filter(({ stepId }) => stepId === step.id);
  while ((await pending()).length < 5);
  for (const { id, arguments: args } of (await pending()).reverse()) {
    expect((await hostOf(there, sessionId).answer(id, { value: 10 * (args[0] as number) })).status).toBe(200);
  }
  expect((await hostOf(here, sessionId).step(step.id)).stdout).toBe('[0, 10, 20, 30, 40]\n');
});

test('a wait that ends without a new need does not show the one that the client has seen', async () => {
  const { id: stepId } = await here.runStep(sessionId, { code: 'holdfast.call("seen")' });
  const { id } = await waitsFor(here, sessionId, 'seen');
  for (const replica of [here, there]) {
    const host = hostOf(replica, sessionId);
    expect(await host.step(stepId, 1, id)).toMatchObject({ status: 'running', outcome: null });
    expect(await host.step(stepId, 0, id)).toMatchObject({ outcome: null });
    expect(await host.step(stepId, 1)).toMatchObject({ outcome: { operationId: id } });
  }
  await hostOf(here, sessionId).answer(id, { value: 1 });
});

test('an operation without an answer times out by itself, and takes no answer after that', {
  timeout: 60_000,
}, async () => {
  const step = await hasty.runStep(sessionId, { code: 'holdfast.call("slow")' });
  const { id } = await waitsFor(here, sessionId, 'slow');
  const ended = await hostOf(there, sessionId).ended(step.id);
  expect(ended).toMatchObject({ status: 'failed', error: { message: expect.stringMatching(/^OperationTimeout: /) } });
  expect(await hostOf(there, sessionId).answer(id, { value: 1 })).toMatchObject({ status: 409 });
  expect((await hostOf(there, sessionId).all()).find((operation) => operation.id === id)?.status).toBe('timed_out');
});

test('a step that waits can be interrupted, and its operation has ended then', async () => {
  const step = await here.runStep(sessionId, { code: 'holdfast.call("left")' });
  const { id } = await waitsFor(here, sessionId, 'left');
  await there.request('POST', `/v1/sessions/${sessionId}/steps/${step.id}/interrupt`);
  expect((await hostOf(there, sessionId).ended(step.id)).status).toBe('interrupted');
  expect(await hostOf(here, sessionId).pending()).toEqual([]);
  expect((await hostOf(there, sessionId).all()).find((operation) => operation.id === id)?.status).toBe('ended');
  expect(await hostOf(here, sessionId).answer(id, { value: 1 })).toMatchObject({ status: 409 });
});

test('other contexts run on while a step waits', async () => {
  const step = await here.runStep(sessionId, { code: 'holdfast.call("wait")' });
  expect((await here.runStep(sessionId, { code: '6 * 7', language: 'node' })).status).toBe('succeeded');
  const { id } = await waitsFor(here, sessionId, 'wait');
  await hostOf(here, sessionId).answer(id, { value: null });
  expect((await hostOf(here, sessionId).step(step.id)).status).toBe('succeeded');
});

test('lists operations page by page, oldest first', async () => {
  const all = await hostOf(here, sessionId).all();
  const listed = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path = `/v1/sessions/${sessionId}/operations?limit=3${cursor && `&cursor=${cursor}`}`;
    const { body } = await there.request('GET', path);
    listed.push(...body.items);
    cursor = body.nextCursor;
  }
  expect(listed).toEqual(all);
  expect(all.map(({ createdAt }) => createdAt)).toEqual(all.map(({ createdAt }) => createdAt).sort());
});

test('rejects answers that are none, are too long, or are for another session', async () => {
  const step = await here.runStep(sessionId, { code: 'holdfast.call("strict")' });
  const { id } = await waitsFor(here, sessionId, 'strict');
  const other = await here.createSession();
  const { answer } = hostOf(here, sessionId);
  for (const body of [{}, { value: 1, error: { message: 'a' } }, { error: {} }, { value: 1, more: 2 }])
    expect((await answer(id, body)).status).toBe(400);
  expect((await answer(id, { value: 'x'.repeat(operationValueBytesMax) })).status).toBe(413);
  expect((await hostOf(here, other.id).answer(id, { value: 1 })).status).toBe(404);
  expect((await answer(`op_${'0'.repeat(26)}`, { value: 1 })).status).toBe(404);
  const long = 'é'.repeat(operationValueBytesMax / 2 - 100);
  expect((await answer(id, { value: long })).status).toBe(200);
  expect((await hostOf(here, sessionId).step(step.id)).status).toBe('succeeded');
});
