import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/registry/connect.ts';
import { connectDatabase } from '../../src/registry/connect.ts';
import { findStep } from '../../src/registry/steps/find-step.ts';
import { recordSteps, type StepRecord } from '../../src/registry/steps/record-steps.ts';
import { withdrawStep } from '../../src/registry/steps/withdraw-step.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession } from '../support/registry-rows.ts';
import {
  admit,
  admitted,
  budgetOf,
  run,
  sessionSharing,
  sessionWithBudget,
  statusOf,
  succeeded,
} from './budget-rows.ts';

let database: TestDatabase;
let db: Database;
/** Another replica. */
let other: Database;
beforeAll(async () => {
  database = await createTestDatabase({ poolMax: 8 });
  db = database.db;
  other = connectDatabase({ url: database.url, poolMax: 8 });
});
afterAll(async () => {
  await other.close();
  await database.drop();
});

test('100 steps at once on two replicas take exactly the 10 iterations of their budget', async () => {
  const session = await sessionWithBudget(db, { iterations: 10 });
  const sharing = await sessionSharing(db, session);
  const steps = await Promise.all(
    Array.from({ length: 100 }, (_, n) => admit(n % 2 ? db : other, n % 4 > 1 ? session : sharing)),
  );
  const sent = steps.filter((step) => step !== null);
  expect(sent).toHaveLength(10);
  expect(await budgetOf(db, session)).toMatchObject({ iterationsUsed: 0, iterationsReserved: 10 });
  await Promise.all(sent.map((step, n) => recordSteps(n % 2 ? db : other, [succeeded(step, 5)])));
  expect(await budgetOf(db, session)).toMatchObject({ iterationsUsed: 10, iterationsReserved: 0, isUsedUp: true });
  expect([await statusOf(db, session), await statusOf(db, sharing)]).toEqual(['budget_exceeded', 'budget_exceeded']);
});

test('steps at once never reserve more time than is left', async () => {
  const session = await sessionWithBudget(db, { timeMs: 2500 });
  const steps = await Promise.all(Array.from({ length: 20 }, (_, n) => admit(n % 2 ? db : other, session)));
  const timeouts = steps.flatMap((step) => step?.timeoutMs ?? []);
  expect(timeouts.toSorted()).toEqual([1000, 1000, 500]);
  expect(await budgetOf(db, session)).toMatchObject({ timeReservedMs: 2500, timeUsedMs: 0 });
});

test('a step may take no longer than the time that is left, and its record says so', async () => {
  const session = await sessionWithBudget(db, { timeMs: 1500.5 });
  await run(db, session, 700.25);
  const step = await admitted(db, session, { timeoutMs: 5000 });
  expect(step).toMatchObject({ timeoutMs: 800, isCutByBudget: true });
  expect(await findStep(db, { sessionId: session.id, stepId: step.id })).toMatchObject({
    timeoutMs: 800,
    reservedMs: 800,
    isCutByBudget: true,
  });
});

test('a step that the budget stops has used all that it had reserved', async () => {
  const session = await sessionWithBudget(db, { timeMs: 800 });
  const step = await admitted(db, session, { timeoutMs: 5000 });
  await recordSteps(db, [{ ...succeeded(step, 799.2), status: 'timed_out' }]);
  expect(await budgetOf(db, session)).toMatchObject({ timeUsedMs: 800, timeReservedMs: 0, isUsedUp: true });
  expect(await statusOf(db, session)).toBe('budget_exceeded');
});

test('a step is charged no more than it had reserved, however long its agent says that it took', async () => {
  const session = await sessionWithBudget(db, { timeMs: 3000 });
  await run(db, session, 1e9);
  expect(await budgetOf(db, session)).toMatchObject({ timeUsedMs: 1000, timeReservedMs: 0 });
});

test('a step without a limit of time is charged for what it took', async () => {
  const session = await sessionWithBudget(db, { iterations: 3 });
  await run(db, session, 12_345);
  expect(await budgetOf(db, session)).toMatchObject({ timeUsedMs: 12_345, timeReservedMs: 0, iterationsUsed: 1 });
});

test('a comm message takes time and no iteration', async () => {
  const session = await sessionWithBudget(db, { iterations: 2, timeMs: 5000 });
  await run(db, session, 100, { iterations: 0 });
  expect(await budgetOf(db, session)).toMatchObject({ iterationsUsed: 0, iterationsReserved: 0, timeUsedMs: 100 });
});

test('a step that is withdrawn gives back what it had reserved, and a repeat of that gives back nothing more', async () => {
  const session = await sessionWithBudget(db, { iterations: 1, timeMs: 1000 });
  const { id, admissionId } = await admitted(db, session);
  expect(await admit(db, session)).toBeNull();
  for (const isThere of [true, false]) {
    expect(await withdrawStep(db, { id, replicaId: 'rep', admissionId })).toBe(isThere);
    expect(await budgetOf(db, session)).toMatchObject({ iterationsReserved: 0, timeReservedMs: 0, timeUsedMs: 0 });
  }
  await admitted(db, session);
});

test('a step that certainly never started costs nothing', async () => {
  const session = await sessionWithBudget(db, { iterations: 1, timeMs: 1000 });
  const step = await admitted(db, session);
  await recordSteps(db, [
    { ...succeeded(step, 0), status: 'lost', durationMs: null, cause: { code: 'never_started' } },
  ]);
  const nothing = { iterationsUsed: 0, iterationsReserved: 0, timeReservedMs: 0, timeUsedMs: 0 };
  expect(await budgetOf(db, session)).toMatchObject(nothing);
  expect(await statusOf(db, session)).toBe('active');
});

test('a step of which its agent says that it never started costs what any other does', async () => {
  const session = await sessionWithBudget(db, { iterations: 1, timeMs: 1000 });
  const step = await admitted(db, session);
  await recordSteps(db, [{ ...succeeded(step, 20), status: 'failed', cause: { code: 'never_started' } }]);
  expect(await budgetOf(db, session)).toMatchObject({ iterationsUsed: 1, timeUsedMs: 20 });
});

test('a lost step costs its iteration and the time since its admission, by the clock of the database', async () => {
  const session = await sessionWithBudget(db, { iterations: 2, timeMs: 60_000 });
  const step = await admitted(db, session, { timeoutMs: 30_000 });
  await db.sql`update steps set reserved_at = now() - interval '2 seconds' where id = ${step.id}`;
  await recordSteps(db, [{ ...succeeded(step, 0), status: 'lost', durationMs: null, cause: { code: 'sandbox_lost' } }]);
  const { timeUsedMs, ...budget } = await budgetOf(db, session);
  expect(budget).toMatchObject({ iterationsUsed: 1, timeReservedMs: 0 });
  expect(timeUsedMs).toBeGreaterThanOrEqual(2000);
  expect(timeUsedMs).toBeLessThan(30_000);
});

test('the end of a step is charged once, although two replicas record it', async () => {
  const session = await sessionWithBudget(db, { iterations: 5, timeMs: 60_000 });
  const step = await admitted(db, session);
  const ends = [succeeded(step, 10), { ...succeeded(step, 10), replicaId: 'another' }];
  await Promise.all([recordSteps(db, [ends[0] as typeof step]), recordSteps(other, [ends[1] as typeof step])]);
  await recordSteps(db, [succeeded(step, 900)]);
  expect(await budgetOf(db, session)).toMatchObject({ iterationsUsed: 1, iterationsReserved: 0, timeUsedMs: 10 });
});

test('batches of two replicas that end steps of the same budgets do not lock each other out', async () => {
  const sessions = await Promise.all(Array.from({ length: 6 }, () => sessionWithBudget(db, { timeMs: 1e6 })));
  const ended = async (inOrder: typeof sessions) => {
    const ends: StepRecord[] = [];
    for (const session of inOrder) ends.push(succeeded(await admitted(db, session), 1));
    return ends;
  };
  for (let round = 0; round < 10; round++) {
    const [here, there] = [await ended(sessions), await ended(sessions.toReversed())];
    const recorded = await Promise.all([recordSteps(db, here), recordSteps(other, there)]);
    expect(recorded.map(({ size }) => size)).toEqual([6, 6]);
  }
  for (const session of sessions) expect(await budgetOf(db, session)).toMatchObject({ timeUsedMs: 20 });
});

test('a step tells what its budget had left at the end', async () => {
  const session = await sessionWithBudget(db, { iterations: 5, timeMs: 2000, cost: '1.50' });
  const step = await admitted(db, session);
  const found = async () => (await findStep(db, { sessionId: session.id, stepId: step.id }))?.budgetRemaining;
  await recordSteps(db, [succeeded(step, 250)]);
  expect(await found()).toEqual({ iterations: 4, timeSeconds: 1.75, tokens: null, cost: '1.5' });
});

test('a step of a session without a budget reserves nothing', async () => {
  const session = await activeSession(db);
  const step = await admitted(db, session);
  expect(step).toMatchObject({ budgetId: null, timeoutMs: 1000, isCutByBudget: false });
  await recordSteps(db, [succeeded(step, 3)]);
  const row = await findStep(db, { sessionId: session.id, stepId: step.id });
  expect(row).toMatchObject({ reservedIterations: 0, reservedMs: null, chargedMs: null, budgetRemaining: null });
});
