import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy.ts';
import type { Holdfast } from '../support/start-holdfast.ts';

let installation: Installation;
let proxy: PostgresProxy;
let holdfast: Holdfast;

beforeAll(async () => {
  installation = await createInstallation();
});
beforeEach(async () => {
  proxy = await startPostgresProxy(installation.database);
  holdfast = await installation.start({ DATABASE_URL: proxy.url });
});
afterEach(async () => {
  await holdfast.stop();
  await proxy[Symbol.asyncDispose]();
});
afterAll(() => installation[Symbol.asyncDispose]());

const twenty = <T>(ask: () => Promise<T>) => Promise.all(Array.from({ length: 20 }, ask));

test('while the database is silent, requests are refused and the probe says so; afterwards a step has its true end', async () => {
  const { id } = await holdfast.createSession();
  const stream = holdfast.streamStep(id, { code: 'print("begun", flush=True)\nimport time; time.sleep(3)\n6 * 7' });
  for await (const { type } of stream) if (type === 'stdout') break;
  const [running] = await holdfast.history(id);
  proxy.freeze();
  const read = () => holdfast.request('GET', `/v1/sessions/${id}`);
  const answers = [...(await twenty(read)), ...(await twenty(read))];
  expect(answers.map(({ status, body }) => [status, body.code])).toEqual(Array(40).fill([503, 'database-unavailable']));
  const probed = await holdfast.request('GET', '/readyz');
  expect(probed).toMatchObject({ status: 503, body: { checks: { database: expect.not.stringMatching(/^ok$/) } } });
  proxy.thaw();
  await eventually(async () => expect((await holdfast.request('GET', '/readyz')).status).toBe(200), 30_000);
  await eventually(async () => {
    expect(await holdfast.history(id)).toMatchObject([
      { id: running?.id, status: 'succeeded', stdout: 'begun\n', results: [{ data: { 'text/plain': '42' } }] },
    ]);
  }, 30_000);
});

test('a replica whose connections all wait is ready and alive', async () => {
  const { id } = await holdfast.createSession();
  const { db } = installation.database;
  const beat = async () => {
    const [row] = await db.sql<{ at: Date }[]>`select max(heartbeat_at) as at from replicas`;
    return row?.at.getTime() ?? 0;
  };
  const waitingOnes = async () => {
    const [row] = await db.sql<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return row?.count ?? 0;
  };
  const reading = await db.transaction(async ({ sql }) => {
    await sql`lock table sessions in access exclusive mode`;
    const pending = twenty(() => holdfast.request('GET', `/v1/sessions/${id}`));
    pending.catch(() => {});
    await eventually(async () => expect(await waitingOnes()).toBeGreaterThanOrEqual(16));
    const before = await beat();
    await eventually(async () => expect(await beat()).toBeGreaterThan(before));
    expect((await holdfast.request('GET', '/readyz')).status).toBe(200);
    return { pending };
  });
  expect((await reading.pending).map(({ status }) => status)).toEqual(Array(20).fill(200));
});
