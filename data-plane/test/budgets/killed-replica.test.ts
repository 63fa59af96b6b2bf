import { setTimeout as delay } from 'node:timers/promises';
import { newId, type RunStep } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeKubernetes, startFakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { eventually } from '../support/eventually.ts';
import { startLateAnswers } from '../support/late-answers.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startReplicaOnKubernetes } from '../support/start-on-kubernetes.ts';
import { expectSettled, readBudget, readSession, refused, send } from './budget-client.ts';

type Replica = Awaited<ReturnType<typeof startReplicaOnKubernetes>>;

let fake: FakeKubernetes;
let database: TestDatabase;
let staying: Replica;
beforeAll(async () => {
  fake = await startFakeKubernetes();
  database = await createTestDatabase();
  staying = await startReplicaOnKubernetes(fake, { DATABASE_URL: database.url });
}, 60_000);
afterAll(async () => {
  await staying[Symbol.asyncDispose]();
  await database.drop();
  await fake.close();
});

const handedOverMs = 45_000;

/** Resolves when the step runs. `ended` resolves at the end of its events, however they end. */
async function begun(replica: Replica, id: string, code: string) {
  const printed = Promise.withResolvers<void>();
  const ended = (async () => {
    for await (const event of replica.streamStep(id, { code: `print("begun", flush=True)\n${code}` })) {
      if (event.type === 'stdout') printed.resolve();
    }
  })().catch(() => {});
  await printed.promise;
  return { ended };
}

/** A replica that is killed while the answer to the statement with this text, which has had its effect, is on its way. */
async function killedAt(statement: string, body: Partial<RunStep>, { runs }: { runs?: string } = {}) {
  await using network = await startLateAnswers(database);
  await using leaving = await startReplicaOnKubernetes(fake, { DATABASE_URL: network.url });
  const { id } = await leaving.createSession({ budget: { iterations: 5, timeSeconds: 600 } });
  if (runs) await begun(staying, id, runs);
  const answer = network.hold(statement);
  const sent = send(leaving, id, body).catch(() => {});
  await answer.answered;
  await leaving.kill();
  await sent;
  await eventually(() => expectSettled(database.db, [id]), handedOverMs);
  return { id, budget: await readBudget(staying, id), history: await staying.history(id) };
}

test('a replica that is killed between the admission of a step and its start costs nothing', async () => {
  const { budget, history } = await killedAt('with budget as materialized', { code: '1' });
  expect(history).toMatchObject([{ status: 'lost', cause: { code: 'never_started' } }]);
  expect(budget.used).toMatchObject({ iterations: 0, timeSeconds: 0 });
}, 120_000);

test('a replica that is killed when it has withdrawn a step, which its agent refused, has given back once what it had reserved', async () => {
  const refusedStep = { code: '1', queue: 'reject' } as const;
  const { budget, history } = await killedAt('with withdrawn as', refusedStep, { runs: 'import time; time.sleep(4)' });
  expect(history).toMatchObject([{ status: 'succeeded' }]);
  expect(budget.used).toMatchObject({ iterations: 1 });
}, 120_000);

test('a replica that is killed when it has recorded the end of a step has charged it once', async () => {
  const code = 'import time; time.sleep(0.2)';
  const { budget, history } = await killedAt('with input as materialized', { code });
  expect(history).toMatchObject([{ status: 'succeeded' }]);
  expect(budget.used).toMatchObject({ iterations: 1 });
  expect(budget.used.timeSeconds).toBeCloseTo((history[0]?.durationMs ?? 0) / 1000, 3);
}, 120_000);

test('a step whose replica is killed while it runs is charged once, by the replica that it is handed over to', async () => {
  await using leaving = await startReplicaOnKubernetes(fake, { DATABASE_URL: database.url });
  const { id } = await leaving.createSession({ budget: { iterations: 1, timeSeconds: 600 } });
  const { ended } = await begun(leaving, id, 'import time; time.sleep(4)');
  await leaving.kill();
  await ended;
  // It is still reserved.
  expect(await send(staying, id)).toMatchObject(refused);
  await eventually(() => expectSettled(database.db, [id]), handedOverMs);
  const [step] = await staying.history(id);
  expect(step).toMatchObject({ status: 'succeeded', budgetRemaining: { iterations: 0 } });
  const { used } = await readBudget(staying, id);
  expect(used.iterations).toBe(1);
  expect(used.timeSeconds).toBeCloseTo((step?.durationMs ?? 0) / 1000, 3);
}, 120_000);

test('an endless step is stopped when the time is over, although its replica was killed, and the other says why', async () => {
  await using leaving = await startReplicaOnKubernetes(fake, { DATABASE_URL: database.url });
  const { id } = await leaving.createSession({ budget: { timeSeconds: 3 } });
  const { ended } = await begun(leaving, id, 'while True: pass');
  await leaving.kill();
  await ended;
  await eventually(() => expectSettled(database.db, [id]), handedOverMs);
  const [step] = await staying.history(id);
  expect(step).toMatchObject({ status: 'timed_out', outcome: { kind: 'budget' }, budgetRemaining: { timeSeconds: 0 } });
  expect(step?.durationMs).toBeLessThan(4000);
  expect(await readSession(staying, id)).toMatchObject({ status: 'budget_exceeded' });
}, 120_000);

test('replicas that are killed again and again neither lose nor double a charge, and never exceed the budget', async () => {
  const limit = 120;
  const { id } = await staying.createSession({ budget: { iterations: limit, timeSeconds: 3600 } });
  const { id: sharing } = await staying.createSession({ budgetOf: id });
  let isOver = false;
  let ran = 0;
  const client = async (replica: () => Replica, sessionId: string) => {
    while (!isOver) {
      const key: Record<string, string> = Math.random() < 0.5 ? { 'Idempotency-Key': newId('uid') } : {};
      const code = `import time; time.sleep(${Math.random() / 10})`;
      const path = `/v1/sessions/${sessionId}/steps`;
      const answer = await replica()
        .request('POST', path, { code, timeoutSeconds: 5 }, key)
        .catch(() => null);
      if (answer?.status === 200) ran++;
      if (answer?.status === 429) isOver ||= (await readSession(staying, id)).status === 'budget_exceeded';
    }
  };
  const env = { DATABASE_URL: database.url };
  let dying = await startReplicaOnKubernetes(fake, env);
  const clients = [id, sharing].flatMap((one) => [
    client(() => dying, one),
    client(() => dying, one),
    client(() => staying, one),
  ]);
  for (let kills = 0; kills < 4; kills++) {
    await delay(300 + Math.random() * 900);
    await dying.kill();
    await dying[Symbol.asyncDispose]();
    dying = await startReplicaOnKubernetes(fake, env);
  }
  await Promise.all(clients);
  await dying[Symbol.asyncDispose]();
  await eventually(() => expectSettled(database.db, [id, sharing]), handedOverMs);
  const { used } = await readBudget(staying, id);
  expect(used.iterations).toBe(limit);
  expect(ran).toBeLessThanOrEqual(limit);
}, 180_000);
