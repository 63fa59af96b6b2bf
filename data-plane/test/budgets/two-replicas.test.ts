import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeKubernetes, startFakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { killSandbox } from '../state/kill-sandbox.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startReplicaOnKubernetes } from '../support/start-on-kubernetes.ts';
import { changeBudget, expectSettled, isRejected, readSession, refused, send } from './budget-client.ts';

type Replica = Awaited<ReturnType<typeof startReplicaOnKubernetes>>;

let fake: FakeKubernetes;
let database: TestDatabase;
let here: Replica;
let there: Replica;
beforeAll(async () => {
  fake = await startFakeKubernetes();
  database = await createTestDatabase();
  const env = { DATABASE_URL: database.url };
  [here, there] = await Promise.all([startReplicaOnKubernetes(fake, env), startReplicaOnKubernetes(fake, env)]);
}, 60_000);
afterAll(async () => {
  await Promise.all([here, there].map((replica) => replica[Symbol.asyncDispose]()));
  await database.drop();
  await fake.close();
});

test('100 steps at once, sent to two replicas, run exactly as often as the budget allows', async () => {
  const { id } = await here.createSession({ budget: { iterations: 10 } });
  const code = 'open("runs.txt", "a").write("x")';
  const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => send(n % 2 ? here : there, id, { code })));
  const byStatus = Map.groupBy(answers, ({ status }) => status);
  expect([byStatus.get(200)?.length, byStatus.get(429)?.length]).toEqual([10, 90]);
  const file = await fetch(`${here.url}/v1/sessions/${id}/files/runs.txt`);
  expect(await file.text()).toBe('x'.repeat(10));
  const history = await there.history(id);
  expect(history.filter(isRejected)).toHaveLength(90);
  expect(history.filter(({ status }) => status === 'succeeded')).toHaveLength(10);
  await expectSettled(database.db, [id]);
  expect(await readSession(here, id)).toMatchObject({ status: 'budget_exceeded' });
}, 60_000);

test('a budget that a session gets through one replica holds at once for another, which knew the session without one', async () => {
  const { id } = await here.createSession();
  await there.runStep(id, { code: '1' });
  expect(await changeBudget(here, id, { iterations: 1 })).toMatchObject({ status: 200 });
  expect(await there.runStep(id, { code: '1' })).toMatchObject({ budgetRemaining: { iterations: 0 } });
  expect(await send(there, id)).toMatchObject(refused);
  expect(await changeBudget(there, id, null)).toMatchObject({ status: 200, body: { status: 'active', budget: null } });
  expect(await here.runStep(id, { code: '1' })).toMatchObject({ budgetRemaining: null });
});

test('a session that recovers keeps its budget', async () => {
  const { id } = await here.createSession({ recovery: 'auto', budget: { iterations: 3 } });
  await here.runStep(id, { code: 'kept = 7' });
  // Finding the process takes a step.
  await killSandbox(here, id);
  const last = await eventually(async () => await there.runStep(id, { code: '1' }), 30_000);
  expect(last).toMatchObject({ status: 'succeeded', epoch: 2, budgetRemaining: { iterations: 0 } });
  expect(await readSession(here, id)).toMatchObject({ status: 'budget_exceeded', epoch: 2 });
  await expectSettled(database.db, [id]);
}, 60_000);
