import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeKubernetes, startFakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startReplicaOnKubernetes } from '../support/start-on-kubernetes.ts';

let fake: FakeKubernetes;
let database: TestDatabase;
let staying: Awaited<ReturnType<typeof start>>;
beforeAll(async () => {
  fake = await startFakeKubernetes();
  database = await createTestDatabase();
  staying = await start();
}, 60_000);
afterAll(async () => {
  await staying[Symbol.asyncDispose]();
  await database.drop();
  await fake.close();
});

const start = () => startReplicaOnKubernetes(fake, { DATABASE_URL: database.url });

const kinds = [
  ['steps', { wait: false }],
  ['jobs', { language: 'python', wait: false }],
] as const;

test('work that no client waits for runs once, and its end and its use are known everywhere, although its replica is killed', async () => {
  await using leaving = await start();
  const { id } = await staying.createSession();
  const code = (name: string) => `import time; open("${name}", "a").write("x"); sum(range(3_000_000)); time.sleep(3)`;
  const asked = kinds.map(([path, body]) => ({
    path: `/v1/sessions/${id}/${path}`,
    body: { ...body, code: code(path) },
    headers: { 'Idempotency-Key': newId('uid') },
  }));
  const begun = [];
  for (const { path, body, headers } of asked) begun.push(await leaving.request('POST', path, body, headers));
  expect(begun.map(({ status }) => status)).toEqual([202, 202]);
  for (const [index, { path, body, headers }] of asked.entries()) {
    const repeated = await staying.request('POST', path, body, headers);
    expect(repeated).toMatchObject({ status: 202, body: { id: begun[index]?.body.id } });
  }
  await leaving.kill();
  for (const [index, { path, body, headers }] of asked.entries()) {
    const location = begun[index]?.headers.get('location');
    const ended = await eventually(async () => {
      const read = await staying.request('GET', `${location}?waitSeconds=20`);
      expect(read).toMatchObject({ status: 200, body: { status: 'succeeded' } });
      return read.body;
    }, 60_000);
    expect(ended.usage.cpuSeconds).toBeGreaterThan(0);
    expect(await staying.request('POST', path, { ...body, wait: true }, headers)).toMatchObject({
      status: 200,
      body: { id: ended.id, status: 'succeeded' },
    });
  }
  const counted = await staying.runStep(id, { code: '[open(name).read() for name in ("steps", "jobs")]' });
  expect(counted.results[0]?.data['text/plain']).toBe("['x', 'x']");
  const own = (await staying.history(id)).map(({ usage }) => usage?.cpuSeconds ?? 0).reduce((sum, one) => sum + one);
  const used = await staying.request('GET', `/v1/sessions/${id}/usage`);
  expect(used.body.cpuSeconds).toBeCloseTo(own, 4);
}, 180_000);

test.each(kinds)(
  'another replica interrupts what no client waits for: %s',
  async (path, body) => {
    await using other = await start();
    const { id } = await staying.createSession();
    const code = 'import time; open("on", "w").write("on"); time.sleep(600)';
    const begun = await other.request('POST', `/v1/sessions/${id}/${path}`, { ...body, code });
    const step = `/v1/sessions/${id}/steps/${begun.body.id}`;
    await eventually(async () => {
      const { body: files } = await staying.request('GET', `/v1/sessions/${id}/files?path=`);
      expect(files.items.map(({ path }: { path: string }) => path)).toEqual(['on']);
    }, 30_000);
    expect(await staying.request('POST', `${step}/interrupt`)).toMatchObject({ status: 202 });
    await eventually(async () => {
      const { body: ended } = await staying.request('GET', `${begun.headers.get('location')}?waitSeconds=20`);
      expect(ended.status).toBe('interrupted');
    }, 60_000);
  },
  120_000,
);

test('a session keeps counting its use after a pause and over a lost sandbox', async () => {
  const { id } = await staying.createSession({ recovery: 'auto' });
  const path = `/v1/sessions/${id}`;
  const usage = async () => (await staying.request('GET', `${path}/usage`)).body;
  const first = await staying.runStep(id, { code: 'sum(range(3_000_000))' });
  const before = await usage();
  expect(before.cpuSeconds).toBeCloseTo(first.usage?.cpuSeconds ?? 0, 4);
  expect((await staying.request('POST', `${path}/pause`)).status).toBe(200);
  const paused = await usage();
  expect(paused).toMatchObject({ cpuSeconds: before.cpuSeconds, sandbox: null });
  expect((await staying.request('POST', `${path}/resume`)).status).toBe(200);
  const second = await staying.runStep(id, { code: 'sum(range(3_000_000))' });
  const sum = (first.usage?.cpuSeconds ?? 0) + (second.usage?.cpuSeconds ?? 0);
  expect((await usage()).cpuSeconds).toBeCloseTo(sum, 4);
  const [route] = await database.db.sql`select sandbox_name as name from session_routes where session_id = ${id}`;
  fake.operator.delete(route?.name, { gracePeriodSeconds: 0 });
  const third = await eventually(() => staying.runStep(id, { code: 'sum(range(3_000_000))' }), 60_000);
  const used = await usage();
  expect(used.cpuSeconds).toBeCloseTo(sum + (third.usage?.cpuSeconds ?? 0), 4);
  expect(used.memoryBytesMax).toBeGreaterThanOrEqual(third.usage?.memoryBytesMax ?? 0);
  await eventually(async () => expect((await usage()).sandbox.diskBytesTotal).toBeGreaterThan(0), 30_000);
}, 180_000);

test('requests with one client key get one session, although the replica that creates it is killed', async () => {
  for (const killedAfterMs of [100, 400]) {
    await using leaving = await start();
    const clientKey = newId('uid');
    const first = leaving.request('POST', '/v1/sessions', { clientKey }).catch(() => null);
    await delay(killedAfterMs);
    const second = staying.request('POST', '/v1/sessions', { clientKey });
    await leaving.kill();
    await Promise.all([first, second]);
    const got = await eventually(async () => {
      const { status, body } = await staying.request('POST', '/v1/sessions', { clientKey });
      expect([200, 201]).toContain(status);
      return body;
    }, 90_000);
    const { body: found } = await staying.request('GET', `/v1/sessions?clientKey=${clientKey}`);
    const living = found.items.filter(({ status }: { status: string }) => status === 'active');
    expect(living.map(({ id }: { id: string }) => id)).toEqual([got.id]);
    expect((await staying.runStep(got.id, { code: '1' })).status).toBe('succeeded');
  }
}, 240_000);
