import { encodeFrame } from '@holdfast/specs/agent';
import type { Step } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../../src/http/create-app.ts';
import { serveApp } from '../../src/http/edge/serve-app.ts';
import { connectDatabase } from '../../src/registry/connect.ts';
import { stepView } from '../../src/steps/step-view.ts';
import { openStream } from '../http/open-stream.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession, storedStep } from '../support/registry-rows.ts';
import { createScriptedCluster } from '../support/scripted-runtime.ts';
import { client } from '../support/start-holdfast.ts';
import { startReplica, type TestReplica } from '../support/start-replica.ts';

async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const cluster = createScriptedCluster();
let database: TestDatabase;
let replica: TestReplica;
let served: Awaited<ReturnType<typeof serveApp>>;
let api: ReturnType<typeof client>;

beforeAll(async () => {
  database = await createTestDatabase();
  replica = await startReplica({ address: database.address, runtime: cluster.runtime([]) });
  const app = createApp({ ...replica, agentAuthBypassed: true });
  served = await serveApp(app, { host: '127.0.0.1', port: 0 });
  api = client(served.url);
});

afterAll(async () => {
  await served.close({ graceMs: 0 });
  await replica.stop();
  await cluster.close();
  await database.drop();
});

/** The frames of a step with about `size` bytes of output, in lines whose characters are cut anywhere by the frames. */
function framesOf(size: number): Buffer[] {
  const line = Buffer.from('é "quoted" 😀 \\ \n');
  const output = Buffer.alloc(size, line);
  const frames = [encodeFrame('started', 1, { contextEpoch: 4, executionCount: 1 })];
  const add = (type: Parameters<typeof encodeFrame>[0], payload: Parameters<typeof encodeFrame>[2]) =>
    frames.push(encodeFrame(type, frames.length + 1, payload));
  for (let at = 0; at < size; at += 65_521) add('stdout', output.subarray(at, at + 65_521));
  add('stderr', Buffer.from('careful\n'));
  add('result', { data: { 'text/plain': 'é'.repeat(size / 16) }, metadata: {}, isMain: true });
  add('result', { data: { 'text/plain': 'last' }, metadata: {}, isMain: false });
  add('error', { name: 'Error', message: 'no', traceback: ['here'] });
  return frames;
}

const mebibyte = 1024 * 1024;

/** A session of the tenant that requests without a key belong to, with steps of these sizes. */
async function sessionWith(...sizes: number[]) {
  const { id: sessionId } = await activeSession(database.db, { tenant: 'default' });
  const steps: Step[] = [];
  for (const [index, size] of sizes.entries()) {
    const events = Buffer.concat(framesOf(size));
    const row = await storedStep(database.db, { sessionId, number: index + 1, events, outcome: { tag: 'ok' } });
    steps.push(stepView(row, row, [events]));
  }
  return { sessionId, steps, path: `/v1/sessions/${sessionId}/steps` };
}

test('a step with much output is answered as one with little', async () => {
  const { steps, path } = await sessionWith(1000, 5 * mebibyte);
  for (const step of steps) {
    const { status, body } = await api.request('GET', `${path}/${step.id}`);
    expect(status).toBe(200);
    expect(body).toEqual(step);
  }
});

test('the history holds large and small steps in their order, a few megabytes on a page', async () => {
  const { sessionId, steps } = await sessionWith(1000, mebibyte, 5 * mebibyte, 2000, 100_000, 300_000);
  expect(await api.history(sessionId)).toEqual(steps);
});

test('the events of a large step are replayed from any place', async () => {
  const { sessionId, steps } = await sessionWith(3 * mebibyte);
  const [step] = steps as [Step];
  const events = await allOf(api.followStep(sessionId, step.id));
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: events.length }, (_, index) => index + 1));
  expect(events.at(-1)).toMatchObject({ type: 'finished', step, contextEpoch: 1 });
  expect(events[5]).toMatchObject({ type: 'stdout', contextEpoch: 4, sessionId, stepId: step.id });
  expect(events.filter(({ type }) => type === 'result').map((event) => 'data' in event && event.data)).toEqual(
    step.results.map(({ data }) => data),
  );
  const rest = await allOf(api.followStep(sessionId, step.id, events.length - 3));
  expect(rest).toEqual(events.slice(-3));
  const after = await fetch(`${served.url}/v1/sessions/${sessionId}/steps/${step.id}/events?after=${events.length}`);
  expect(after.status).toBe(204);
});

const running = async () => {
  const [row] = await database.db.sql<{ count: number }[]>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and state = 'active' and query like '%substring(events%' and pid <> pg_backend_pid()`;
  return row?.count;
};

test('clients that leave end their reading, while it waits for its turn and during a statement', async () => {
  const { steps, path } = await sessionWith(16 * mebibyte);
  const [{ id }] = steps as [Step];
  // Four have a turn and are held back by clients that do not read; the others wait for turns.
  const reading = await Promise.all(
    [1, 2, 3, 4].map(async () => {
      const stream = await openStream(`${served.url}${path}/${id}`);
      stream.pause();
      return stream;
    }),
  );
  const left = new AbortController();
  const waiting = [5, 6, 7].map(() => fetch(`${served.url}${path}/${id}`, { signal: left.signal }));
  await eventually(() => expect(replica.reads.waiting()).toBe(3));
  left.abort();
  for (const request of waiting) await expect(request).rejects.toThrow();
  await eventually(() => expect(replica.reads.waiting()).toBe(0));

  const locking = connectDatabase({ ...database.address, poolMax: 1 });
  const locked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const lock = locking.transaction(async ({ sql }) => {
    await sql`lock table steps in access exclusive mode`;
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  for (const stream of reading) stream.resume();
  await eventually(async () => expect(await running()).toBeGreaterThan(0));
  for (const stream of reading) stream.cut();
  await eventually(async () => expect(await running()).toBe(0));
  release.resolve();
  await lock;
  await locking.close();

  const again = await api.request('GET', `${path}/${id}`);
  expect(again.body).toMatchObject({ id });
}, 60_000);

test('a step that is purged while it is sent breaks the answer off', async () => {
  const { steps, path } = await sessionWith(16 * mebibyte);
  const [{ id }] = steps as [Step];
  const stream = await openStream(`${served.url}${path}/${id}`);
  stream.pause();
  await database.db.sql`delete from steps where id = ${id}`;
  stream.resume();
  await eventually(() => expect(replica.lines.join()).toContain('broken off'));
  expect(stream.ended).toBe(false);
  expect((await api.request('GET', `${path}/${id}`)).status).toBe(404);
});

test('the combined code of a session is sent as one text', async () => {
  cluster.answering = (request, response) => {
    const answers: Record<string, object> = {
      '/v1/contexts': {
        contexts: [{ contextId: 'python', language: 'python', contextEpoch: 1, state: 'idle', cwd: '.' }],
      },
      '/v1/contexts/python/symbols': { contextEpoch: 1, stale: false, symbols: [] },
    };
    const answer = answers[request.url ?? ''];
    if (answer) response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
    return answer !== undefined;
  };
  const { id: sessionId } = await replica.createSession({}, { tenant: 'default' });
  const codes = Array.from({ length: 5 }, (_, index) => `x = "${'é'.repeat(150_000)}${index}"`);
  for (const [index, code] of codes.entries()) await storedStep(database.db, { sessionId, number: index + 1, code });
  const { body } = await api.request('GET', `/v1/sessions/${sessionId}/context`);
  expect(body).toEqual({
    contexts: [{ contextId: 'python', language: 'python', listsSymbols: true, combinedCode: codes.join('\n\n') }],
    symbols: [],
  });
});
