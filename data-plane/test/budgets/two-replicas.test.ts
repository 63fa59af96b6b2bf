import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Queries } from '../../src/registry/queries.ts';
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

/** Does something in a transaction that stays open until `end`. */
async function hold(work: (tx: Queries) => Promise<unknown>) {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const held = database.db.transaction(async (tx) => {
    await work(tx);
    begun.resolve();
    await ended.promise;
  });
  await Promise.race([begun.promise, held]);
  return { end: () => ended.resolve() };
}

const untilWaiting = (count: number) =>
  eventually(async () => {
    const waiting = await database.db.sql`
      select distinct pid from pg_locks where not granted and pid in (select pid from pg_stat_activity where datname = current_database())`;
    expect(waiting).toHaveLength(count);
  });

test('two changes at once that give a session its first budget are both made and audited', async () => {
  const { id } = await here.createSession();
  const held = await hold(({ sql }) => sql`select from sessions where id = ${id} for no key update`);
  const changes = [changeBudget(here, id, { iterations: 5 }), changeBudget(there, id, { tokens: 70 })];
  await untilWaiting(2);
  held.end();
  expect((await Promise.all(changes)).map(({ status }) => status)).toEqual([200, 200]);
  expect((await readSession(here, id)).budget?.limits).toMatchObject({ iterations: 5, tokens: 70 });
  const { body } = await here.request('GET', `/v1/sessions/${id}/audit?operation=session.update`);
  expect(body.items).toHaveLength(2);
});

test('a change of a budget that the session has left meanwhile does not reach the sessions that still share it', async () => {
  const { id: sharing } = await here.createSession({ budget: { iterations: 3 } });
  const { id } = await here.createSession({ budgetOf: sharing });
  const held = await hold(async ({ sql }) => {
    await sql`select from budgets where id = (select budget_of from sessions where id = ${id}) for update`;
    await sql`update sessions set budget_of = null, policy_revision = policy_revision + 1 where id = ${id}`;
  });
  const changed = changeBudget(there, id, { iterations: 8 });
  await untilWaiting(1);
  held.end();
  expect(await changed).toMatchObject({ status: 200, body: { budget: { limits: { iterations: 8 } } } });
  expect((await readSession(here, sharing)).budget?.limits).toMatchObject({ iterations: 3 });
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
