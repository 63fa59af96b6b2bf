import { newId, type SessionStatus, sessionStatuses } from '@holdfast/specs/public';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../src/registry/connect.ts';
import { beatReplica } from '../../src/registry/replicas/beat-replica.ts';
import { listLiveReplicas } from '../../src/registry/replicas/list-live-replicas.ts';
import { registerReplica } from '../../src/registry/replicas/register-replica.ts';
import { removeReplica } from '../../src/registry/replicas/remove-replica.ts';
import { startDuty } from '../../src/registry/replicas/start-duty.ts';
import { findRoute } from '../../src/registry/routes/find-route.ts';
import { endSession } from '../../src/registry/sessions/end-session.ts';
import { findSession } from '../../src/registry/sessions/find-session.ts';
import { findTombstone } from '../../src/registry/sessions/find-tombstone.ts';
import { markSandboxGone } from '../../src/registry/sessions/mark-sandbox-gone.ts';
import { purgeHistory } from '../../src/registry/sessions/purge-history.ts';
import { requestDeletion } from '../../src/registry/sessions/request-deletion.ts';
import { type DueSession, takeDueSessions } from '../../src/registry/sessions/take-due-sessions.ts';
import { listSteps } from '../../src/registry/steps/list-steps.ts';
import { deadlines } from '../../src/sessions/deadlines.ts';
import { retentionOf } from '../../src/sessions/retention.ts';
import { hasSandbox } from '../../src/sessions/status.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession, creatingSession, storedStep } from '../support/registry-rows.ts';

const unbounded = { bytesPerSessionMax: 2 ** 40, bytesPerTenantMax: 2 ** 40 };

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase({ poolMax: 10 });
  db = database.db;
});
beforeEach(async () => {
  await database.owner.sql`truncate sessions, steps, tombstones, idempotency_keys, replicas, ticks cascade`;
});
afterAll(() => database.drop());

const completed = { epoch: 1, to: 'completed', reason: 'completed_by_host' } as const;
/** Moves all of a session's times back, as if it had been made earlier. */
const age = (id: string, seconds: number) => db.sql`
  update sessions set created_at = created_at - ${seconds} * interval '1 second',
    last_activity_at = last_activity_at - ${seconds} * interval '1 second',
    start_deadline_at = start_deadline_at - ${seconds} * interval '1 second',
    ended_at = ended_at - ${seconds} * interval '1 second',
    next_look_at = next_look_at - ${seconds} * interval '1 second' where id = ${id}`;
/** The deadlines that have passed, or what is left of an ended session. */
const reasonOf = ({ passed, endedAt, sandboxGoneAt }: DueSession) =>
  endedAt === null ? passed : [...passed, sandboxGoneAt === null ? 'sandbox left' : 'row left'];
const takeReasons = async () => (await takeDueSessions(db, { limit: 100 })).map((due) => [due.id, reasonOf(due)]);

describe('due sessions', () => {
  test('are exactly those about which something must be done, each with its reasons', async () => {
    const overdue = await creatingSession(db, { startSeconds: 60 });
    await age(overdue.id, 61);
    const old = await activeSession(db, { timeoutSeconds: 100, idleTimeoutSeconds: 1000 });
    await age(old.id, 101);
    const idle = await activeSession(db, { timeoutSeconds: 1000, idleTimeoutSeconds: 100 });
    await age(idle.id, 101);
    const working = await activeSession(db, { timeoutSeconds: 1000, idleTimeoutSeconds: 100 });
    await age(working.id, 101);
    await storedStep(db, { sessionId: working.id, number: 1, status: 'running', replicaId: 'r', finishedAt: null });
    const both = await activeSession(db, { timeoutSeconds: 100, idleTimeoutSeconds: 100 });
    await age(both.id, 101);
    const ended = await activeSession(db);
    await endSession(db, { id: ended.id, ...completed });
    const atRest = await activeSession(db);
    await endSession(db, { id: atRest.id, ...completed });
    await markSandboxGone(db, atRest);
    const deletable = await activeSession(db);
    await endSession(db, { id: deletable.id, ...completed });
    await requestDeletion(db, deletable);
    await markSandboxGone(db, deletable);
    await creatingSession(db);
    await activeSession(db);
    expect(Object.fromEntries(await takeReasons())).toEqual({
      [overdue.id]: ['start'],
      [old.id]: ['age'],
      [idle.id]: ['idle'],
      [both.id]: ['age', 'idle'],
      [ended.id]: ['sandbox left'],
      [deletable.id]: ['row left'],
    });
  });

  test('go to one of the replicas that take them at once, and to no replica before they are due again', async () => {
    const made = await Promise.all(Array.from({ length: 40 }, () => creatingSession(db)));
    for (const { id } of made) await age(id, 61);
    const taken = await Promise.all(Array.from({ length: 8 }, () => takeDueSessions(db, { limit: 10 })));
    const ids = taken.flat().map(({ id }) => id);
    expect(ids).toHaveLength(new Set(ids).size);
    const rest = await takeDueSessions(db, { limit: 100 });
    expect([...ids, ...rest.map(({ id }) => id)].toSorted()).toEqual(made.map(({ id }) => id).toSorted());
    expect(await takeReasons()).toEqual([]);
    await db.sql`update sessions set next_look_at = now() - interval '1 second'`;
    expect(await takeReasons()).toHaveLength(40);
  });

  test('a row that another transaction holds is skipped, not waited for', async () => {
    const held = await creatingSession(db);
    const free = await creatingSession(db);
    for (const { id } of [held, free]) await age(id, 61);
    await db.transaction(async ({ sql: tx }) => {
      // If the take waits after all, this makes it a failure and not a deadlock.
      await tx`set local idle_in_transaction_session_timeout = '3s'`;
      await tx`select from sessions where id = ${held.id} for update`;
      expect(await takeReasons()).toEqual([[free.id, ['start']]]);
    });
  });

  test('an end makes a session due at once, even if it was checked a moment ago', async () => {
    const session = await creatingSession(db);
    await age(session.id, 61);
    expect(await takeReasons()).toHaveLength(1);
    await endSession(db, { id: session.id, epoch: 1, to: 'failed', reason: 'sandbox_start_timeout' });
    expect(await takeReasons()).toEqual([[session.id, ['sandbox left']]]);
  });
});

describe('the conditions of the deadlines', () => {
  /** A session of the given status that is past the time of every deadline. */
  async function overdueSession(status: SessionStatus) {
    const jobId = newId('job');
    const session = await activeSession(db, { jobId, startSeconds: 1, timeoutSeconds: 1, idleTimeoutSeconds: 1 });
    await storedStep(db, { id: jobId, sessionId: session.id, number: 1 });
    await age(session.id, 2);
    await db.sql`update sessions set status = ${status} where id = ${session.id}`;
    await db.sql`update sandboxes set state = 'launching', replica_id = 'gone' where session_id = ${session.id}`;
    return session;
  }

  test.each(sessionStatuses)('hold for %s exactly as the table of deadlines says', async (status) => {
    const { id } = await overdueSession(status);
    const inTable = Object.entries(deadlines).filter(([, rule]) => rule.from.includes(status));
    const names = inTable.map(([name]) => name).filter((name) => name !== 'idlePause');
    expect(await takeDueSessions(db, { limit: 1 })).toMatchObject(names.length > 0 ? [{ id, passed: names }] : []);
  });

  test.each(sessionStatuses)('hold for %s if an idle session is to be paused', async (status) => {
    const { id } = await overdueSession(status);
    await db.sql`update sessions set on_idle = 'pause', timeout_seconds = 60 where id = ${id}`;
    const [due] = await takeDueSessions(db, { limit: 1 });
    expect(due?.passed.filter((name) => name.startsWith('idle')) ?? []).toEqual(
      hasSandbox(status) ? ['idlePause'] : [],
    );
  });

  test('a due session comes with the uid of the sandbox that is bound in its epoch', async () => {
    const { id } = await overdueSession('active');
    const route = await findRoute(db, { sessionId: id });
    expect(await takeDueSessions(db, { limit: 1 })).toMatchObject([{ id, sandboxUid: route?.sandboxUid }]);
    await db.sql`update sessions set epoch = 2, next_look_at = now() where id = ${id}`;
    expect(await takeDueSessions(db, { limit: 1 })).toMatchObject([{ id, sandboxUid: null }]);
  });
});

describe('ticks', () => {
  test('one of ten replicas gets the tick, and the next tick comes after the period', async () => {
    const ticks = await Promise.all(
      Array.from({ length: 10 }, () => startDuty(db, { name: 'sync', everySeconds: 60 })),
    );
    expect(ticks.filter(Boolean)).toHaveLength(1);
    expect(await startDuty(db, { name: 'other', everySeconds: 60 })).toBe(true);
    await db.sql`update ticks set last_at = last_at - interval '61 seconds'`;
    const later = await Promise.all(
      Array.from({ length: 10 }, () => startDuty(db, { name: 'sync', everySeconds: 60 })),
    );
    expect(later.filter(Boolean)).toHaveLength(1);
  });
});

describe('replicas', () => {
  test('a newcomer succeeds the earlier replica of its slot, whose heartbeat then fails', async () => {
    expect(await registerReplica(db, { id: 'first', slot: 's' })).toEqual({ succeededId: null });
    expect(await beatReplica(db, { id: 'first' })).toBe(true);
    expect(await registerReplica(db, { id: 'second', slot: 's' })).toEqual({ succeededId: 'first' });
    expect(await beatReplica(db, { id: 'first' })).toBe(false);
    await removeReplica(db, { id: 'second' });
    expect(await beatReplica(db, { id: 'second' })).toBe(false);
  });

  test('ten newcomers in one slot at once leave one replica', async () => {
    await Promise.all(Array.from({ length: 10 }, (_, i) => registerReplica(db, { id: `r${i}`, slot: 's' })));
    const [row] = await db.sql`select count(*)::int as count from replicas`;
    expect(row?.count).toBe(1);
  });

  test('without a heartbeat a replica does not count as alive until it beats again', async () => {
    await registerReplica(db, { id: 'r', slot: 's' });
    expect(await listLiveReplicas(db, { staleSeconds: 30 })).toMatchObject([{ id: 'r' }]);
    await db.sql`update replicas set heartbeat_at = now() - interval '31 seconds'`;
    expect(await listLiveReplicas(db, { staleSeconds: 30 })).toEqual([]);
    await beatReplica(db, { id: 'r' });
    expect(await listLiveReplicas(db, { staleSeconds: 30 })).toMatchObject([{ id: 'r' }]);
  });
});

describe('purging', () => {
  const limits = retentionOf({ ...unbounded, stepsPerSessionMax: 3, retentionSeconds: 1000 });
  const numbers = async (sessionId: string) =>
    (await listSteps(db, { sessionId, limit: 50 })).items.map(({ number }) => number);

  test('a session keeps its latest steps, and an unfinished one with all that follow it', async () => {
    const capped = await activeSession(db);
    const running = await activeSession(db);
    for (const { id: sessionId } of [capped, running]) {
      for (let number = 1; number <= 6; number++) await storedStep(db, { sessionId, number });
      await db.sql`update sessions set step_count = 6 where id = ${sessionId}`;
    }
    await db.sql`update steps set replica_id = 'r', status = 'running'
      where session_id = ${running.id} and number = 3`;
    expect(await purgeHistory(db, limits)).toMatchObject({ steps: 5 });
    expect(await numbers(capped.id)).toEqual([4, 5, 6]);
    expect(await numbers(running.id)).toEqual([3, 4, 5, 6]);
    expect((await findSession(db, { id: capped.id }))?.purgedStepNumber).toBe(3);
    expect(await purgeHistory(db, limits)).toMatchObject({ steps: 0 });
  });

  test('an ended session goes after the retention and leaves a tombstone, unless its sandbox may still be there', async () => {
    const ended = [await activeSession(db), await activeSession(db), await activeSession(db)] as const;
    const [old, unswept, recent] = ended;
    for (const { id } of ended) await endSession(db, { id, ...completed });
    for (const session of [old, recent]) await markSandboxGone(db, session);
    for (const { id } of [old, unswept]) await age(id, 1001);
    expect(await purgeHistory(db, limits)).toMatchObject({ sessions: 1 });
    expect(await findSession(db, old)).toBeNull();
    expect(await findTombstone(db, { sessionId: old.id })).not.toBeNull();
    expect(await findSession(db, unswept)).not.toBeNull();
    expect(await findSession(db, recent)).not.toBeNull();
  });

  test('tombstones go after the retention, idempotency keys after a day', async () => {
    await db.sql`insert into tombstones (session_id, tenant, deleted_at) values
      ('old', 't', now() - interval '1001 seconds'), ('recent', 't', now())`;
    await db.sql`insert into idempotency_keys (tenant, key, fingerprint, resource_id, created_at) values
      ('t', 'old', '', 'x', now() - interval '25 hours'), ('t', 'recent', '', 'x', now() - interval '23 hours')`;
    expect(await purgeHistory(db, limits)).toMatchObject({ tombstones: 1, idempotencyKeys: 1 });
    expect(await findTombstone(db, { sessionId: 'recent' })).not.toBeNull();
  });

  test('a replica is removed after a day of silence', async () => {
    for (const id of ['silent', 'alive']) await registerReplica(db, { id, slot: id });
    await db.sql`update replicas set heartbeat_at = now() - interval '25 hours' where id = 'silent'`;
    await purgeHistory(db, retentionOf({ ...unbounded, stepsPerSessionMax: 10, retentionSeconds: 100 }));
    expect(await beatReplica(db, { id: 'silent' })).toBe(false);
    expect(await beatReplica(db, { id: 'alive' })).toBe(true);
  });
});
