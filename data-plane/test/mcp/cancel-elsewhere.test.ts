import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeKubernetes, startFakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startReplicaOnKubernetes } from '../support/start-on-kubernetes.ts';
import { openRaw } from './raw-client.ts';

type Replica = Awaited<ReturnType<typeof startReplicaOnKubernetes>>;

let fake: FakeKubernetes;
let database: TestDatabase;
let here: Replica;
let there: Replica;
beforeAll(async () => {
  fake = await startFakeKubernetes();
  database = await createTestDatabase();
  const start = () => startReplicaOnKubernetes(fake, { DATABASE_URL: database.url });
  [here, there] = await Promise.all([start(), start()]);
}, 60_000);
afterAll(async () => {
  await Promise.all([here, there].map((replica) => replica[Symbol.asyncDispose]()));
  await database.drop();
  await fake.close();
});

const mark = { code: 'open("ran", "w").write("x")' };
const forever = { code: 'import time\ntime.sleep(3600)' };
const ranSeen = { code: 'import os\nos.path.exists("ran")' };

const sessionsStarting = () => database.db.sql`select id from sessions where status = 'creating'`;
const stepsRunning = () => database.db.sql`select id from steps where finished_at is null`;

test('a call that is cancelled through another replica while its session starts never runs', async () => {
  await using mcp = await openRaw(here.url);
  fake.scheduling.close();
  const call = mcp.call(here.url, 1, 'run_code', mark);
  try {
    await eventually(async () => expect(await sessionsStarting()).toHaveLength(1));
    expect(await mcp.cancel(there.url, 1)).toBe(202);
    const marks = await database.db.sql`select from mcp_sessions where jsonb_array_length(cancelled) = 1`;
    expect(marks).toHaveLength(1);
  } finally {
    fake.scheduling.open();
  }
  expect(await call).toContain('nothing of it ran');
  expect(await mcp.call(here.url, 2, 'run_code', ranSeen)).toContain('"result":"False"');
}, 60_000);

test('a call that comes later than its cancellation never runs', async () => {
  await using mcp = await openRaw(here.url);
  await mcp.call(here.url, 1, 'run_code', { code: '1' });
  expect(await mcp.cancel(there.url, 2)).toBe(202);
  expect(await mcp.call(here.url, 2, 'run_code', mark)).toContain('nothing of it ran');
  expect(await mcp.call(here.url, 3, 'run_code', ranSeen)).toContain('"result":"False"');
}, 60_000);

test('a call is cancelled through another replica when the tools work in another session by then', async () => {
  await using mcp = await openRaw(here.url);
  const call = mcp.call(here.url, 1, 'run_code', forever);
  await eventually(async () => expect(await stepsRunning()).toHaveLength(1));
  await mcp.call(here.url, 2, 'create_session');
  expect(await mcp.cancel(there.url, 1)).toBe(202);
  expect(await call).toContain('"status":"interrupted"');
}, 60_000);
