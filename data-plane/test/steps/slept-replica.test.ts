import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunStep, Step } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeKubernetes, startFakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startReplicaOnKubernetes } from '../support/start-on-kubernetes.ts';

type Replica = Awaited<ReturnType<typeof startReplicaOnKubernetes>>;

let fake: FakeKubernetes;
let database: TestDatabase;
let sleeper: Replica;
let other: Replica;
let folder: string;

beforeAll(async () => {
  fake = await startFakeKubernetes();
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'holdfast-flags-'));
  const env = { DATABASE_URL: database.url, HOLDFAST_STEP_GRACE_SECONDS: '1' };
  [sleeper, other] = await Promise.all([startReplicaOnKubernetes(fake, env), startReplicaOnKubernetes(fake, env)]);
}, 120_000);
afterAll(async () => {
  process.kill(sleeper.pid, 'SIGCONT');
  await Promise.all([sleeper, other].map((replica) => replica[Symbol.asyncDispose]()));
  await database.drop();
  await fake.close();
  await rm(folder, { recursive: true });
});

/** A step that runs on the replica which is about to sleep, until `flag` exists. */
async function begun(body: Partial<RunStep> = {}) {
  const { id: sessionId } = await sleeper.createSession();
  const flag = join(folder, sessionId);
  const code = [
    'import os, time',
    'print("begun", flush=True)',
    `while not os.path.exists(${JSON.stringify(flag)}): time.sleep(0.05)`,
    '"done"',
  ].join('\n');
  const printed = Promise.withResolvers<string>();
  const leave = new AbortController();
  const response = await fetch(`${sleeper.url}/v1/sessions/${sessionId}/steps`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/x-ndjson' },
    body: JSON.stringify({ code, ...body }),
    signal: leave.signal,
  });
  const ended = (async () => {
    let text = '';
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      if (text.includes('"stdout"')) printed.resolve(JSON.parse(text.slice(0, text.indexOf('\n'))).stepId);
    }
    return JSON.parse(text.trim().split('\n').at(-1) as string).step as Step;
  })();
  ended.catch(() => {});
  const stepId = await printed.promise;
  return { sessionId, stepId, ended, leave: () => leave.abort(), finish: () => writeFile(flag, '') };
}

const sleep = () => process.kill(sleeper.pid, 'SIGSTOP');
const wake = () => process.kill(sleeper.pid, 'SIGCONT');

const followerOf = async ({ stepId }: { stepId: string }) =>
  (
    await database.db.sql<
      { replicaId: string | null }[]
    >`select replica_id as "replicaId" from steps where id = ${stepId}`
  )[0]?.replicaId;

/** Waits until the database has not heard of the sleeper for so long. */
const untilSilentFor = async (seconds: number) =>
  await eventually(async () => {
    const silent = await database.db.sql`
      select from replicas where heartbeat_at < now() - ${seconds} * interval '1 second'`;
    expect(silent).toHaveLength(1);
  }, 40_000);

const sessionOn = async ({ sessionId }: { sessionId: string }) =>
  (await other.request('GET', `/v1/sessions/${sessionId}`)).body;

test('a replica that slept past the deadline of its step leaves the session alone, whose step another has recorded', async () => {
  const step = await begun({ timeoutSeconds: 3 });
  sleep();
  await step.finish();
  const path = `/v1/sessions/${step.sessionId}/steps/${step.stepId}`;
  await eventually(async () => {
    expect((await other.request('GET', path)).body).toMatchObject({ status: 'succeeded', stdout: 'begun\n' });
  }, 60_000);
  wake();
  expect(await step.ended).toMatchObject({ id: step.stepId, status: 'succeeded' });
  expect(await sessionOn(step)).toMatchObject({ status: 'active' });
  expect(await sleeper.runStep(step.sessionId, { code: 'flag = 6 * 7; flag' })).toMatchObject({ status: 'succeeded' });
}, 120_000);

test('a replica that slept past the deadline of its step takes the result that its agent has', async () => {
  const step = await begun({ timeoutSeconds: 3 });
  sleep();
  await step.finish();
  await untilSilentFor(6);
  wake();
  expect(await step.ended).toMatchObject({ id: step.stepId, status: 'succeeded' });
  expect(await sessionOn(step)).toMatchObject({ status: 'active' });
  expect(await sleeper.runStep(step.sessionId, { code: '1' })).toMatchObject({ status: 'succeeded' });
}, 120_000);

test('a replica that slept does not interrupt a step that was handed over, although its requester has left', async () => {
  const step = await begun({ onDisconnect: 'interrupt' });
  const before = await followerOf(step);
  sleep();
  await eventually(async () => expect(await followerOf(step)).not.toBe(before), 60_000);
  step.leave();
  wake();
  // It serves again, so it has seen that the requester is gone.
  for (let i = 0; i < 5; i++) await sleeper.history(step.sessionId);
  await step.finish();
  const path = `/v1/sessions/${step.sessionId}/steps/${step.stepId}?waitSeconds=30`;
  expect((await other.request('GET', path)).body).toMatchObject({ status: 'succeeded' });
  expect(await sessionOn(step)).toMatchObject({ status: 'active' });
}, 120_000);
