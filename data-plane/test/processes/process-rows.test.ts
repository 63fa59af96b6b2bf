import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Database } from '../../src/registry/connect.ts';
import { endProcess, type ProcessEnd } from '../../src/registry/processes/end-process.ts';
import { findProcess } from '../../src/registry/processes/find-process.ts';
import { insertProcess, type NewProcess } from '../../src/registry/processes/insert-process.ts';
import { reassignProcesses } from '../../src/registry/processes/reassign-processes.ts';
import { reserveProcessTime } from '../../src/registry/processes/reserve-process-time.ts';
import { withdrawProcess } from '../../src/registry/processes/withdraw-process.ts';
import { replicaStaleSeconds } from '../../src/registry/replicas/beat-replica.ts';
import { registerReplica } from '../../src/registry/replicas/register-replica.ts';
import { findSession } from '../../src/registry/sessions/find-session.ts';
import { budgetOf, sessionWithBudget } from '../budgets/budget-rows.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession } from '../support/registry-rows.ts';
import { admittedProcess, newProcess } from './stored-process.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase({ poolMax: 4 });
  db = database.db;
});
beforeEach(async () => {
  await database.owner.sql`truncate sessions, steps, budgets, replicas, audit_entries cascade`;
});
afterAll(() => database.drop());

const exited = (id: string, given: Partial<ProcessEnd> = {}): ProcessEnd => ({
  id,
  replicaId: 'rep',
  status: 'exited',
  exitCode: 0,
  signal: null,
  cause: null,
  log: Buffer.from([0, 255]),
  truncated: false,
  usage: { cpuSeconds: 0.5, memoryBytesMax: 1000 },
  pid: 7,
  cwd: '/workspace',
  endedMsAgo: 0,
  ...given,
});

const audited = async () =>
  (
    await db.sql`select operation, arguments, decision from audit_entries where operation like 'process.%' order by id`
  ).map(({ operation, arguments: given, decision }) => ({ operation, given, decision }));

test('a process has a row with the next number of its session, and each of its two ends an audit entry', async () => {
  const session = await activeSession(db);
  const first = await admittedProcess(db, session);
  const second = await admittedProcess(db, session);
  expect([first.number, second.number]).toEqual([1, 2]);
  expect(await endProcess(db, exited(first.id))).toBe(true);
  expect(await findProcess(db, { sessionId: session.id, processId: first.id })).toMatchObject({
    status: 'exited',
    exitCode: 0,
    pid: 7,
    cwd: '/workspace',
    replicaId: null,
    log: Buffer.from([0, 255]),
    usage: { cpuSeconds: 0.5, memoryBytesMax: 1000 },
    finishedAt: expect.any(Date),
  });
  expect(await audited()).toEqual([
    { operation: 'process.start', given: { processId: first.id, number: 1, command: 'sleep 1' }, decision: 'allowed' },
    { operation: 'process.start', given: { processId: second.id, number: 2, command: 'sleep 1' }, decision: 'allowed' },
    {
      operation: 'process.end',
      given: { processId: first.id, number: 1, status: 'exited', exitCode: 0, signal: null, cause: null },
      decision: 'allowed',
    },
  ]);
});

test.each<[string, string, Partial<NewProcess>]>([
  ['is paused', "update sessions set status = 'paused'", {}],
  ['has used up its budget', "update sessions set status = 'budget_exceeded'", {}],
  ['has another epoch', 'select 1', { epoch: 2 }],
  ['has another policy', 'select 1', { policyRevision: 5 }],
])('a session that %s admits no process', async (_what, change, given) => {
  const session = await activeSession(db);
  await db.sql.unsafe(change);
  expect(await insertProcess(db, newProcess(session, given))).toBeNull();
  expect(await audited()).toEqual([]);
  expect(await findSession(db, { id: session.id })).toMatchObject({ processCount: 0 });
});

test('processes that start at once have different numbers, and the same id starts once', async () => {
  const session = await activeSession(db);
  const started = await Promise.all(Array.from({ length: 12 }, () => insertProcess(db, newProcess(session))));
  expect(started.map((one) => one?.number).sort((a = 0, b = 0) => a - b)).toEqual(Array.from(started, (_, i) => i + 1));
  const id = newId('prc');
  const same = await Promise.all(Array.from({ length: 4 }, () => insertProcess(db, newProcess(session, { id }))));
  expect(same.filter((one) => one !== null)).toHaveLength(1);
  expect(await findSession(db, { id: session.id })).toMatchObject({ processCount: 13 });
});

test('a session runs no more processes than it may, however many start at once, and others when some have ended', async () => {
  const session = await activeSession(db);
  const start = () => insertProcess(db, newProcess(session, { processesMax: 5 }));
  const started = (await Promise.all(Array.from({ length: 12 }, start))).filter((one) => one !== null);
  expect(started).toHaveLength(5);
  const rows = await db.sql<{ id: string; admissionId: string }[]>`
    select id, admission_id as "admissionId" from processes order by number`;
  const [ended, unstarted] = rows;
  if (!ended || !unstarted) throw new Error('none has started');
  for (let times = 0; times < 2; times++) await endProcess(db, exited(ended.id));
  for (let times = 0; times < 2; times++) await withdrawProcess(db, unstarted);
  expect(await findSession(db, { id: session.id })).toMatchObject({ runningProcesses: 3 });
  expect((await Promise.all(Array.from({ length: 6 }, start))).filter((one) => one !== null)).toHaveLength(2);
  expect(await insertProcess(db, newProcess(await activeSession(db), { processesMax: 1 }))).not.toBeNull();
});

test('an end is recorded once, and only the replica that follows a process may call it lost', async () => {
  const session = await activeSession(db);
  const { id } = await admittedProcess(db, session);
  const lost = { status: 'lost', exitCode: null, log: null, cause: { code: 'sandbox_lost' } } as const;
  expect(await endProcess(db, exited(id, { ...lost, replicaId: 'another' }))).toBe(false);
  expect(await endProcess(db, exited(id, { replicaId: 'another' }))).toBe(true);
  expect(await endProcess(db, exited(id, lost))).toBe(false);
  expect(await findProcess(db, { sessionId: session.id, processId: id })).toMatchObject({ status: 'exited' });
  expect((await audited()).filter(({ operation }) => operation === 'process.end')).toHaveLength(1);
});

test('a process that did not start is withdrawn, by the name of its admission', async () => {
  const session = await sessionWithBudget(db, { iterations: 1, timeMs: 60_000 });
  const process = await admittedProcess(db, session);
  expect(await budgetOf(db, session)).toMatchObject({ iterationsUsed: 1, timeReservedMs: 10_000 });
  await withdrawProcess(db, { id: process.id, admissionId: newId('uid') });
  expect(await findProcess(db, { sessionId: session.id, processId: process.id })).not.toBeNull();
  await withdrawProcess(db, process);
  expect(await findProcess(db, { sessionId: session.id, processId: process.id })).toBeNull();
  expect(await budgetOf(db, session)).toMatchObject({ iterationsUsed: 0, timeReservedMs: 0 });
  expect((await audited()).map(({ operation }) => operation)).toEqual(['process.start', 'process.withdraw']);
});

test('a process takes an iteration at its start, and its time at its end', async () => {
  const session = await sessionWithBudget(db, { iterations: 5, timeMs: 60_000 });
  const { id, reservedMs } = await admittedProcess(db, session);
  expect(reservedMs).toBe(10_000);
  await db.sql`update processes set started_at = started_at - interval '4 seconds'`;
  await endProcess(db, exited(id));
  const budget = await budgetOf(db, session);
  expect(budget).toMatchObject({ iterationsUsed: 1, timeReservedMs: 0 });
  expect(Math.floor(budget.timeUsedMs / 1000)).toBe(4);
});

test('a process reserves no more time than the budget has, and is never charged more', async () => {
  const session = await sessionWithBudget(db, { timeMs: 12_000 });
  const { id, replicaId } = await admittedProcess(db, session);
  await db.sql`update processes set started_at = started_at - interval '9 seconds'`;
  const more = await reserveProcessTime(db, { id, replicaId, sliceMs: 10_000 });
  expect(Math.ceil((more?.leftMs ?? 0) / 1000)).toBe(3);
  expect(await budgetOf(db, session)).toMatchObject({ timeReservedMs: 12_000 });
  expect(await insertProcess(db, newProcess(session))).toBeNull();
  expect(await reserveProcessTime(db, { id, replicaId: 'another', sliceMs: 10_000 })).toBeNull();
  await db.sql`update processes set started_at = started_at - interval '1 hour'`;
  await endProcess(db, exited(id));
  expect(await budgetOf(db, session)).toMatchObject({ timeUsedMs: 12_000, timeReservedMs: 0, isUsedUp: true });
  expect(await findSession(db, { id: session.id })).toMatchObject({ status: 'budget_exceeded' });
});

test('a process that ran while its budget could not be asked is charged afterwards, until its end was seen', async () => {
  const session = await sessionWithBudget(db, { timeMs: 60_000 });
  const ids = [(await admittedProcess(db, session)).id, (await admittedProcess(db, session)).id];
  await db.sql`update processes set started_at = started_at - interval '30 seconds'`;
  const charged = async (id = '', endedMsAgo = 0) => {
    await endProcess(db, exited(id, { endedMsAgo }));
    const process = await findProcess(db, { sessionId: session.id, processId: id });
    return Math.round((process?.chargedMs ?? 0) / 1000);
  };
  expect(await charged(ids[0])).toBe(30);
  expect(await charged(ids[1], 12_000)).toBe(18);
  expect(await budgetOf(db, session)).toMatchObject({ timeReservedMs: 0, isUsedUp: false });
});

test('a budget without a limit of time leaves the time open', async () => {
  const session = await sessionWithBudget(db, { iterations: 2 });
  const { id, replicaId, reservedMs } = await admittedProcess(db, session);
  expect(reservedMs).toBeNull();
  expect(await reserveProcessTime(db, { id, replicaId, sliceMs: 1000 })).toEqual({ leftMs: null });
});

test('a replica gets the processes of one that is gone, and its own that it does not follow', async () => {
  const session = await activeSession(db);
  const me = newId('rep');
  await registerReplica(db, { id: me, slot: me });
  const ofAnother = await admittedProcess(db, session, { replicaId: 'gone' });
  const unfollowed = await admittedProcess(db, session, { replicaId: me });
  const followed = await admittedProcess(db, session, { replicaId: me });
  await db.sql`update processes set assigned_at = now() - interval '1 minute'`;
  await db.sql`update processes set assigned_at = now() where id = ${ofAnother.id}`;
  const input = { replicaId: me, following: [followed.id], staleSeconds: replicaStaleSeconds, limit: 10 };
  const taken = await reassignProcesses(db, input);
  expect(taken.map(({ id }) => id).sort()).toEqual([ofAnother.id, unfollowed.id].sort());
  expect(await reassignProcesses(db, input)).toEqual([]);
});

test('the oldest ended processes of a session are forgotten, but of those whose Idempotency-Key counts only beyond a higher number', async () => {
  const session = await activeSession(db);
  const [old, keyed, running] = [
    await admittedProcess(db, session),
    await admittedProcess(db, session, { fingerprint: Buffer.alloc(32) }),
    await admittedProcess(db, session),
  ];
  for (const { id } of [old, keyed]) await endProcess(db, exited(id));
  await db.sql`update sessions set process_count = 600`;
  await admittedProcess(db, session);
  const left = await db.sql<{ id: string }[]>`select id from processes where number < 100 order by number`;
  expect(left.map(({ id }) => id)).toEqual([keyed.id, running.id]);
  await db.sql`update sessions set process_count = 2600`;
  await admittedProcess(db, session);
  expect(await findProcess(db, { sessionId: session.id, processId: keyed.id })).toBeNull();
});

test('the end of a process adds what it used to its session once, also if it is reported again', async () => {
  const session = await activeSession(db);
  const [one, other, lost] = [
    await admittedProcess(db, session),
    await admittedProcess(db, session),
    await admittedProcess(db, session),
  ];
  for (const { id } of [one, one, other]) await endProcess(db, exited(id));
  await endProcess(db, exited(lost.id, { status: 'lost', usage: null, log: null }));
  expect(await findSession(db, { id: session.id })).toMatchObject({ cpuSeconds: 1, memoryBytesMax: 1000 });
});
