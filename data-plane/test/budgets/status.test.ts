import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chargeUsage } from '../../src/registry/budgets/charge-usage.ts';
import { setLimits } from '../../src/registry/budgets/set-limits.ts';
import type { Database } from '../../src/registry/connect.ts';
import { bindRoute } from '../../src/registry/routes/bind-route.ts';
import { deleteSession } from '../../src/registry/sessions/delete-session.ts';
import { findSession } from '../../src/registry/sessions/find-session.ts';
import { beginPause, cancelPause } from '../../src/registry/sessions/pause-session.ts';
import { recordSteps } from '../../src/registry/steps/record-steps.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { creatingSession, routeOf } from '../support/registry-rows.ts';
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
beforeAll(async () => {
  database = await createTestDatabase({ poolMax: 8 });
  db = database.db;
});
afterAll(() => database.drop());

const spend = (sessionId: string, tokens = 1) => chargeUsage(db, { sessionId, tokens, cost: '0' });

test('all active sessions of a budget follow it when it is used up and when it is raised', async () => {
  const session = await sessionWithBudget(db, { tokens: 10 });
  const sharing = await sessionSharing(db, session);
  const other = await sessionWithBudget(db, { tokens: 10 });
  await spend(sharing.id, 9);
  expect(await statusOf(db, session)).toBe('active');
  await spend(sharing.id, 1);
  expect([await statusOf(db, session), await statusOf(db, sharing)]).toEqual(['budget_exceeded', 'budget_exceeded']);
  expect(await statusOf(db, other)).toBe('active');
  expect(await admit(db, session)).toBeNull();
  // A replica of an earlier version makes a session active whatever its budget is.
  await db.sql`update sessions set status = 'active' where id = ${session.id}`;
  expect(await admit(db, session)).toBeNull();
  await setLimits(db, { ...(await budgetOf(db, session)), sessionId: session.id, tokens: 11 });
  expect([await statusOf(db, session), await statusOf(db, sharing)]).toEqual(['active', 'active']);
  await admitted(db, session);
});

test('a session that gets its sandbox after its budget was used up is not active', async () => {
  const limits = { iterations: null, timeMs: null, tokens: 1, cost: null };
  const session = await creatingSession(db, { budget: { id: newId('bud'), limits } });
  await spend(session.id);
  expect(await statusOf(db, session)).toBe('creating');
  expect(await bindRoute(db, routeOf(session))).toMatchObject({ status: 'budget_exceeded' });
});

test('a charge that comes while a session gets its sandbox counts, whichever of the two is first', async () => {
  const limits = { iterations: null, timeMs: null, tokens: 1, cost: null };
  const session = await creatingSession(db, { budget: { id: newId('bud'), limits } });
  const commit = Promise.withResolvers<void>();
  const charged = Promise.withResolvers<void>();
  const charging = db.transaction(async (tx) => {
    await chargeUsage(tx, { sessionId: session.id, tokens: 1, cost: '0' });
    charged.resolve();
    await commit.promise;
  });
  await charged.promise;
  const binding = bindRoute(db, routeOf(session));
  await eventually(async () => {
    const waiting = await db.sql`
      select from pg_stat_activity where wait_event_type = 'Lock' and query like '%insert into session_routes%'`;
    expect(waiting).toHaveLength(1);
  });
  commit.resolve();
  await charging;
  expect(await binding).toMatchObject({ status: 'budget_exceeded' });
});

test('a pause that is cancelled leads to the status that the budget has now', async () => {
  const session = await sessionWithBudget(db, { tokens: 1 });
  const { id, epoch } = session;
  const pause = async () => {
    const begun = await beginPause(db, { id, epoch, replicaId: 'rep', seconds: 60, ifIdle: false });
    return { id, epoch, deadlineAt: begun?.startDeadlineAt ?? new Date(0) };
  };
  const first = await pause();
  await spend(id);
  expect(await statusOf(db, session)).toBe('pausing');
  await cancelPause(db, first);
  expect(await statusOf(db, session)).toBe('budget_exceeded');
  const second = await pause();
  await setLimits(db, { ...(await budgetOf(db, session)), sessionId: session.id, tokens: 2 });
  await cancelPause(db, second);
  expect(await statusOf(db, session)).toBe('active');
});

test('a session that is deleted settles what its steps have reserved from a budget that others share', async () => {
  const session = await sessionWithBudget(db, { iterations: 3, timeMs: 5000 });
  const sharing = await sessionSharing(db, session);
  await run(db, session, 100);
  const { id } = await admitted(db, session);
  await db.sql`
    update sessions set status = 'completed', ended_at = now(), sandbox_gone_at = now() where id = ${session.id}`;
  await db.sql`update steps set reserved_at = now() - interval '0.5 seconds' where id = ${id}`;
  expect(await deleteSession(db, { id: session.id })).toBe(true);
  const { timeUsedMs, ...budget } = await budgetOf(db, sharing);
  expect(budget).toMatchObject({ iterationsUsed: 2, iterationsReserved: 0, timeReservedMs: 0 });
  expect(timeUsedMs).toBeGreaterThanOrEqual(600);
  expect(timeUsedMs).toBeLessThanOrEqual(1100);
});

test('a step that was judged by another policy than that of now is not admitted', async () => {
  const session = await sessionWithBudget(db);
  await db.sql`update sessions set policy_revision = 3 where id = ${session.id}`;
  expect(await admit(db, session, { policyRevision: 2 })).toBeNull();
  await admitted(db, session, { policyRevision: 3 });
});

test('a step ends as it did although its budget is gone', async () => {
  const session = await sessionWithBudget(db, { iterations: 3 });
  const step = await admitted(db, session);
  await db.sql`update sessions set budget_of = null where id = ${session.id}`;
  await db.sql`delete from budgets where id = ${session.budgetOf}`;
  expect((await recordSteps(db, [succeeded(step, 5)])).size).toBe(1);
  expect(await findSession(db, session)).toMatchObject({ status: 'active' });
});
