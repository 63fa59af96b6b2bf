import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Database } from '../../src/registry/connect.ts';
import { beatReplica, replicaLateSeconds, replicaStaleSeconds } from '../../src/registry/replicas/beat-replica.ts';
import { registerReplica } from '../../src/registry/replicas/register-replica.ts';
import { removeReplica } from '../../src/registry/replicas/remove-replica.ts';
import { endSession } from '../../src/registry/sessions/end-session.ts';
import { findStep } from '../../src/registry/steps/find-step.ts';
import { isHeldByAnother } from '../../src/registry/steps/held-by-another.ts';
import { reassignSteps } from '../../src/registry/steps/reassign-steps.ts';
import { recordSteps, type StepRecord } from '../../src/registry/steps/record-steps.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession, storedStep } from '../support/registry-rows.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
});
beforeEach(async () => {
  await database.owner.sql`truncate sessions, steps, replicas cascade`;
});
afterAll(() => database.drop());

async function registered(): Promise<string> {
  const id = newId('rep');
  await registerReplica(db, { id, slot: id });
  return id;
}

/** As if the replica had sent its heartbeats until so many seconds ago, and none since. */
async function silence(id: string, seconds: number): Promise<void> {
  await db.sql`
    update replicas set heartbeat_at = now() - ${seconds} * interval '1 second', beating_since = now() - interval '1 hour'
    where id = ${id}`;
}

/** A running step that `replicaId` follows. */
async function running(replicaId: string): Promise<StepRecord> {
  const { id: sessionId } = await activeSession(db);
  await db.sql`update sessions set step_count = 1 where id = ${sessionId}`;
  const unfinished = { status: 'running' as const, finishedAt: null };
  return { ...(await storedStep(db, { sessionId, number: 1, replicaId, ...unfinished })), replicaId, mayHaveRow: true };
}

const taken = async (replicaId: string, following: string[] = []): Promise<string[]> => {
  const input = { replicaId, following, unsent: [], staleSeconds: replicaStaleSeconds, limit: 10 };
  return (await reassignSteps(db, input)).map(({ id }) => id);
};

const lost = (step: StepRecord, replicaId: string): StepRecord => ({
  ...step,
  replicaId,
  status: 'lost',
  cause: { code: 'overran' },
  finishedAt: new Date(),
});

test('the steps of a replica without a heartbeat are taken over by one whose own heartbeat was never late', async () => {
  const [silent, me] = [await registered(), await registered()];
  const step = await running(silent);
  await silence(silent, replicaStaleSeconds + 1);
  await silence(me, 0);
  expect(await taken(me)).toEqual([step.id]);
  expect(await taken(me)).toEqual([]);
});

test('a replica whose own heartbeat was late judges no other until all that live have sent theirs', async () => {
  const [slow, me] = [await registered(), await registered()];
  const step = await running(slow);
  // The database answered neither for a while, and this replica first.
  for (const id of [slow, me]) await silence(id, replicaStaleSeconds + 1);
  expect(await taken(me)).toEqual([]);
  expect(await beatReplica(db, { id: me })).toBe(true);
  expect(await taken(me)).toEqual([]);
  await db.sql`update replicas set beating_since = now() - ${replicaStaleSeconds} * interval '1 second' where id = ${me}`;
  expect(await taken(me)).toEqual([step.id]);
});

test('a heartbeat in time does not begin the count anew, and a late one does', async () => {
  const id = await registered();
  const isNew = async () =>
    (await db.sql`select beating_since > now() - interval '1 minute' as new from replicas where id = ${id}`)[0]?.new;
  await silence(id, replicaLateSeconds - 2);
  await beatReplica(db, { id });
  expect(await isNew()).toBe(false);
  await silence(id, replicaLateSeconds + 1);
  await beatReplica(db, { id });
  expect(await isNew()).toBe(true);
});

test('the steps of a replica that has left are taken over at once', async () => {
  const [leaving, me] = [await registered(), await registered()];
  const step = await running(leaving);
  await removeReplica(db, { id: leaving });
  expect(await taken(me)).toEqual([step.id]);
});

test('a replica takes its own step only if it does not follow it, and goes by the database for how long', async () => {
  const me = await registered();
  const step = await running(me);
  await db.sql`update steps set queued_at = queued_at - interval '1 hour'`;
  expect(await taken(me)).toEqual([]);
  await db.sql`update steps set assigned_at = assigned_at - interval '1 hour'`;
  expect(await taken(me, [step.id])).toEqual([]);
  expect(await taken(me)).toEqual([step.id]);
  expect(await taken(me)).toEqual([]);
});

test.each([
  ['alone', (step: StepRecord) => [step]],
  ['in a batch', (step: StepRecord) => [step, { ...step, id: newId('stp'), mayHaveRow: false }]],
])('only the replica that follows a step records it as lost (%s)', async (_, rowsWith) => {
  const [before, owner] = [newId('rep'), newId('rep')];
  const step = await running(owner);
  expect((await recordSteps(db, rowsWith(lost(step, before)))).has(step.id)).toBe(false);
  expect(await findStep(db, { sessionId: step.sessionId, stepId: step.id })).toMatchObject({ status: 'running' });
  expect((await recordSteps(db, rowsWith(lost(step, owner)))).has(step.id)).toBe(true);
});

test('a result that the agent reported is recorded by any replica that has it', async () => {
  const step = await running(newId('rep'));
  const result = { ...step, replicaId: newId('rep'), status: 'succeeded' as const, finishedAt: new Date() };
  expect(await recordSteps(db, [result])).toEqual(new Map([[step.id, 1]]));
});

const condemn = ({ id: stepId, sessionId, epoch }: StepRecord, replicaId: string) =>
  endSession(db, { id: sessionId, epoch, ifFollowed: { stepId, replicaId }, to: 'failed', reason: 'step_overran' });

test('a session ends because of a step only if the replica that asks for it follows the step', async () => {
  const [before, owner] = [newId('rep'), newId('rep')];
  const step = await running(owner);
  expect(await isHeldByAnother(db, { stepId: step.id, replicaId: before })).toBe(true);
  expect(await condemn(step, before)).toBeNull();
  expect(await condemn({ ...step, epoch: 2 }, owner)).toBeNull();
  expect(await condemn(step, owner)).toMatchObject({ status: 'failed' });
});

test('a session does not end because of a step whose end is recorded', async () => {
  const owner = newId('rep');
  const step = await running(owner);
  await recordSteps(db, [{ ...step, status: 'succeeded', finishedAt: new Date() }]);
  expect(await condemn(step, owner)).toBeNull();
});

test('a session ends because of a step whose intent is not written yet', async () => {
  const owner = newId('rep');
  const step = await running(owner);
  expect(await isHeldByAnother(db, { stepId: 'stp_unwritten', replicaId: owner })).toBe(false);
  expect(await condemn({ ...step, id: 'stp_unwritten' }, owner)).toMatchObject({ status: 'failed' });
});

test('an end of the step that is about to commit decides whether the session ends', async () => {
  const owner = newId('rep');
  const step = await running(owner);
  const [recorded, commit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const recording = db.transaction(async (tx) => {
    await recordSteps(tx, [{ ...step, status: 'succeeded', finishedAt: new Date() }]);
    recorded.resolve();
    await commit.promise;
  });
  await recorded.promise;
  const condemned = condemn(step, owner);
  await eventually(async () => {
    const waiting = await db.sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    expect(waiting).toHaveLength(1);
  });
  commit.resolve();
  await recording;
  expect(await condemned).toBeNull();
});
