import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { replicaStaleSeconds } from '../../src/registry/replicas/beat-replica.ts';
import { type FakeKubernetes, startFakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startReplicaOnKubernetes } from '../support/start-on-kubernetes.ts';

let fake: FakeKubernetes;
let database: TestDatabase;
let leaving: Awaited<ReturnType<typeof startReplicaOnKubernetes>>;
let staying: Awaited<ReturnType<typeof startReplicaOnKubernetes>>;

beforeAll(async () => {
  fake = await startFakeKubernetes();
  database = await createTestDatabase();
  staying = await startReplicaOnKubernetes(fake, { DATABASE_URL: database.url });
});
async function startLeaving({ drainSeconds }: { drainSeconds: number }): Promise<void> {
  const env = { DATABASE_URL: database.url, HOLDFAST_DRAIN_SECONDS: String(drainSeconds) };
  leaving = await startReplicaOnKubernetes(fake, env);
}
afterEach(async () => {
  await leaving[Symbol.asyncDispose]();
});
afterAll(async () => {
  await staying[Symbol.asyncDispose]();
  await database.drop();
  await fake.close();
});

const stepSeconds = 6;
const code = `import time\nprint("begun", flush=True)\ntime.sleep(${stepSeconds})\n6 * 7`;

/** A step that runs on the replica that is about to stop. */
async function runningStep() {
  await startLeaving({ drainSeconds: 1 });
  const { id } = await leaving.createSession();
  const begun = Promise.withResolvers<string>();
  const streaming = (async () => {
    for await (const event of leaving.streamStep(id, { code })) {
      if (event.type === 'stdout') begun.resolve(event.stepId);
    }
  })().catch(() => {});
  return { sessionId: id, stepId: await begun.promise, streaming };
}

const stepOn = async ({ sessionId, stepId }: { sessionId: string; stepId: string }) =>
  (await staying.request('GET', `/v1/sessions/${sessionId}/steps/${stepId}`)).body;

test('a replica that stops hands over a step that outlasts its drain at once, and the other records its true result', async () => {
  const step = await runningStep();
  const stoppedAt = Date.now();
  await leaving.stop();
  // The other one may not have got its frames yet, and shows it as `queued` then.
  expect(await stepOn(step)).toMatchObject({ status: expect.stringMatching(/^(queued|running)$/), finishedAt: null });
  const events = [];
  for await (const event of staying.followStep(step.sessionId, step.stepId)) events.push(event.type);
  // It was queued if its kernel was still starting.
  expect(events.filter((type) => type !== 'queued')).toEqual(['started', 'stdout', 'result', 'finished']);
  expect(await stepOn(step)).toMatchObject({ status: 'succeeded', stdout: 'begun\n', results: [{ isMain: true }] });
  // The hand-over did not wait until the replica counted as gone.
  expect(Date.now() - stoppedAt).toBeLessThan(replicaStaleSeconds * 1000);
  await step.streaming;
}, 60_000);

test('the step of a replica that is killed is handed over, and its true result is recorded once', async () => {
  const step = await runningStep();
  await leaving.kill();
  await eventually(async () => expect(await stepOn(step)).toMatchObject({ status: 'succeeded' }), 40_000);
  const history = await staying.history(step.sessionId);
  expect(history).toMatchObject([{ id: step.stepId, stdout: 'begun\n', executionCount: 1 }]);
  await step.streaming;
}, 60_000);

test('a step that waits for input gets it through the replica that it was handed over to', async () => {
  await startLeaving({ drainSeconds: 1 });
  const { id } = await leaving.createSession();
  const step = await leaving.runStep(id, { code: 'input("Name: ")', stdin: true });
  await leaving.stop();
  const path = `/v1/sessions/${id}/steps/${step.id}`;
  const needs = { status: 'running', outcome: { tag: 'needs', prompt: 'Name: ' } };
  expect((await staying.request('GET', path)).body).toMatchObject(needs);
  expect((await staying.request('POST', `${path}/stdin`, { text: 'Ada' })).status).toBe(204);
  const ended = await staying.request('GET', `${path}?waitSeconds=40`);
  expect(ended.body).toMatchObject({ status: 'succeeded', results: [{ data: { 'text/plain': "'Ada'" } }] });
}, 60_000);

test('a replica that stops finishes the sessions that it is starting', async () => {
  await startLeaving({ drainSeconds: 30 });
  fake.scheduling.close();
  const created = leaving.request('POST', '/v1/sessions', {});
  await eventually(() => expect(fake.pods.all().some(({ status }) => status?.phase === 'Pending')).toBe(true));
  const stopped = leaving.stop();
  fake.scheduling.open();
  expect(await created).toMatchObject({ status: 201 });
  await stopped;
}, 60_000);
