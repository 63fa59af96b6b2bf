import { type RunStep, runStepSchema, type Step } from '@holdfast/specs/public';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { handOverSteps } from '../../src/reconcile/duties/hand-over-steps.ts';
import { eventually } from '../support/eventually.ts';
import { type HeldAnswer, startLateAnswers } from '../support/late-answers.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { storedStep } from '../support/registry-rows.ts';
import { createScriptedCluster, type ScriptedCluster } from '../support/scripted-runtime.ts';
import { createScriptedSteps } from '../support/scripted-steps.ts';
import { startReplica, type TestReplica } from '../support/start-replica.ts';
import { injectStepFaults } from '../support/step-faults.ts';

let database: TestDatabase;
let network: Awaited<ReturnType<typeof startLateAnswers>>;
let cluster: ScriptedCluster;
let agent: ReturnType<typeof createScriptedSteps>;
let replica: TestReplica;
let sessionId: string;

beforeEach(async () => {
  database = await createTestDatabase();
  network = await startLateAnswers(database);
  cluster = createScriptedCluster();
  agent = createScriptedSteps();
  cluster.answering = agent.answering;
  replica = await startReplica({ address: { url: network.url }, runtime: cluster.runtime([]) });
  sessionId = (await replica.createSession()).id;
});
afterEach(async () => {
  await replica.stop();
  await cluster.close();
  await network[Symbol.asyncDispose]();
  await database.drop();
});

const request = (): RunStep => runStepSchema.parse({ code: '1' });

/** Runs the step of one Idempotency-Key to its end. */
async function run({ verbs, caller }: TestReplica = replica): Promise<Step> {
  const live = await verbs.runStep({ caller, sessionId, request: request(), idempotencyKey: 'k' });
  return await eventually(() => {
    if (!live.finished) throw new Error('it has not ended');
    return live.finished as Step;
  });
}

const holdAdmission = (): HeldAnswer => network.hold('admitted as (');

const rows = async () => await database.db.sql<{ id: string; status: string }[]>`select id, status from steps`;

/** As if the rows had been there for a minute. */
async function age(): Promise<void> {
  const minute = database.db.sql`interval '1 minute'`;
  await database.db.sql`update steps set queued_at = queued_at - ${minute}, assigned_at = assigned_at - ${minute}`;
}

async function takeOver(by: TestReplica = replica): Promise<void> {
  await handOverSteps(by.duties);
  await by.backgroundSettled();
}

test('a step whose admission is answered late is sent, and not taken over from its own replica meanwhile', async () => {
  const admission = holdAdmission();
  const running = run();
  await admission.answered;
  expect(await rows()).toMatchObject([{ status: 'queued' }]);
  await age();
  await takeOver();
  expect([...agent.burnt]).toEqual([]);
  admission.release();
  expect(await running).toMatchObject({ status: 'succeeded', number: 1 });
});

test('a replica that stops withdraws a step whose admission was committed and never answered', async () => {
  const leaving = await startReplica({ address: { url: network.url }, runtime: cluster.runtime([]) });
  const admission = holdAdmission();
  const failed = expect(run(leaving)).rejects.toMatchObject({ slug: 'database-unavailable' });
  await admission.answered;
  admission.cut();
  await failed;
  expect(await rows()).toMatchObject([{ status: 'queued' }]);
  await leaving.stop();
  expect(await rows()).toEqual([]);
  expect(await run()).toMatchObject({ status: 'succeeded' });
});

test('a step whose admission was committed and never answered runs when its key is repeated', async () => {
  const admission = holdAdmission();
  const failed = expect(run()).rejects.toMatchObject({ slug: 'database-unavailable' });
  await admission.answered;
  admission.cut();
  await failed;
  expect(await rows()).toMatchObject([{ status: 'queued' }]);
  expect(await run()).toMatchObject({ status: 'succeeded' });
  expect(agent.ran).toHaveLength(1);
});

test('a step whose admission was never answered is withdrawn, so that another replica admits its key', async () => {
  const admission = holdAdmission();
  const failed = expect(run()).rejects.toMatchObject({ slug: 'database-unavailable' });
  await admission.answered;
  admission.cut();
  await failed;
  await age();
  await takeOver();
  expect(await rows()).toEqual([]);
  const other = await startReplica({ address: database.address, runtime: cluster.runtime([]) });
  expect(await run(other)).toMatchObject({ status: 'succeeded' });
  await other.stop();
  expect([...agent.burnt]).toEqual([]);
});

test('a step of a replica that is gone is taken over, although this replica gave up an admission of its own', async () => {
  const faults = await injectStepFaults(database.owner);
  await faults.begin({ state: '58030', moment: 'intent', code: request().code });
  await expect(run()).rejects.toMatchObject({ slug: 'database-unavailable' });
  await faults.end();
  const [{ id } = { id: '' }] = replica.duties.admissions.unsent();
  const unfinished = { status: 'queued' as const, finishedAt: null };
  await storedStep(database.db, { id, sessionId, number: 1, replicaId: 'rep_gone', ...unfinished });
  await takeOver();
  expect(await rows()).toMatchObject([{ status: 'lost' }]);
  expect([...agent.burnt]).toEqual([id]);
});

test('an admission that has its effect long after it was given up is withdrawn, too', async () => {
  const locked = Promise.withResolvers<void>();
  const unlock = Promise.withResolvers<void>();
  const lock = database.db.transaction(async (tx) => {
    await tx.sql`select from sessions where id = ${sessionId} for update`;
    locked.resolve();
    await unlock.promise;
  });
  await locked.promise;
  const admission = holdAdmission();
  const failed = expect(run()).rejects.toMatchObject({ slug: 'database-unavailable' });
  await admission.sent;
  await eventually(async () => {
    const waiting = await database.db.sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    expect(waiting).toHaveLength(1);
  });
  admission.cut();
  await failed;
  await takeOver();
  unlock.resolve();
  await lock;
  await eventually(async () => expect(await rows()).toMatchObject([{ status: 'queued' }]));
  await age();
  await takeOver();
  expect(await rows()).toEqual([]);
  expect(await run()).toMatchObject({ status: 'succeeded' });
  expect([...agent.burnt]).toEqual([]);
});

test('a step that its agent refuses while the database is silent is withdrawn when it answers again', async () => {
  const withdrawal = network.hold('delete from steps');
  agent.refuseNext();
  const refused = expect(run()).rejects.toMatchObject({ slug: 'context-busy' });
  await withdrawal.sent;
  withdrawal.cut();
  await refused;
  await takeOver();
  expect(await rows()).toEqual([]);
  expect(await run()).toMatchObject({ status: 'succeeded' });
});
