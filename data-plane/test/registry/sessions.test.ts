import { type SessionStatus, sessionStatuses } from '@holdfast/specs/public';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/registry/connect.ts';
import { bindRoute } from '../../src/registry/routes/bind-route.ts';
import { findRoute } from '../../src/registry/routes/find-route.ts';
import { sessions } from '../../src/registry/schema/sessions.ts';
import { beginRecovery } from '../../src/registry/sessions/begin-recovery.ts';
import { deleteSession } from '../../src/registry/sessions/delete-session.ts';
import { endSession } from '../../src/registry/sessions/end-session.ts';
import { findSession } from '../../src/registry/sessions/find-session.ts';
import { findTombstone } from '../../src/registry/sessions/find-tombstone.ts';
import { listSessions } from '../../src/registry/sessions/list-sessions.ts';
import { markSandboxGone } from '../../src/registry/sessions/mark-sandbox-gone.ts';
import { patchSession } from '../../src/registry/sessions/patch-session.ts';
import { beginPause, cancelPause, finishPause, returnToPaused } from '../../src/registry/sessions/pause-session.ts';
import { requestDeletion } from '../../src/registry/sessions/request-deletion.ts';
import { mayFollow } from '../../src/sessions/status.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession, creatingSession, routeOf, storedStep } from '../support/registry-rows.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase({ poolMax: 8 });
  db = database.db;
});
afterAll(() => database.drop());

const completed = { epoch: 1, to: 'completed', reason: 'completed_by_host' } as const;
const withStatus = async (status: SessionStatus) => {
  const session = await creatingSession(db);
  await db.orm.update(sessions).set({ status }).where(sql`${sessions.id} = ${session.id}`);
  return session;
};

describe('transitions', () => {
  test.each(sessionStatuses)(
    'a session in %s makes only the transitions that the table of statuses allows',
    async (from) => {
      const bound = await bindRoute(db, routeOf(await withStatus(from)));
      // Those become active again with the sandbox that they have.
      const keepsIts = from === 'pausing' || from === 'budget_exceeded';
      expect(bound?.status).toBe(mayFollow(from, 'active') && !keepsIts ? 'active' : undefined);
      const replicaId = 'replica';
      const paused = await beginPause(db, { ...(await withStatus(from)), replicaId, seconds: 60, ifIdle: false });
      expect(paused?.status).toBe(mayFollow(from, 'pausing') ? 'pausing' : undefined);
      const pausing = async () => {
        const session = await withStatus(from);
        return { ...session, deadlineAt: session.startDeadlineAt };
      };
      expect((await cancelPause(db, await pausing())) !== null).toBe(from === 'pausing');
      const finished = await finishPause(db, { ...(await pausing()), replicaId });
      expect(finished?.status).toBe(from === 'pausing' ? 'paused' : undefined);
      const returned = await returnToPaused(db, { ...(await withStatus(from)), replicaId });
      expect(returned?.status).toBe(from === 'resuming' ? 'paused' : undefined);
      const ended = await endSession(db, {
        id: (await withStatus(from)).id,
        epoch: 1,
        to: 'expired',
        reason: 'max_age',
      });
      expect(ended?.status).toBe(mayFollow(from, 'expired') ? 'expired' : undefined);
    },
  );

  test('a pause whose replica slept neither finishes nor cancels the next one', async () => {
    const { id, epoch } = await withStatus('active');
    const begin = async (seconds: number) => {
      const begun = await beginPause(db, { id, epoch, replicaId: 'replica', seconds, ifIdle: false });
      return { id, epoch, deadlineAt: begun?.startDeadlineAt ?? new Date(0) };
    };
    const slept = await begin(-1);
    expect(await cancelPause(db, { id, epoch, deadlineAt: 'passed' })).toEqual(slept);
    const next = await begin(60);
    expect(await cancelPause(db, slept)).toBeNull();
    expect(await finishPause(db, { ...slept, replicaId: 'replica' })).toBeNull();
    const move = { id, epoch, from: 'pausing', isAutomatic: false, replicaId: 'replica', sandboxName: 'next' } as const;
    const moved = await beginRecovery(db, { ...move, startSeconds: 60, attemptsMax: 3, ifPausing: slept.deadlineAt });
    expect(moved).toBeNull();
    expect(await finishPause(db, { ...next, replicaId: 'replica' })).toMatchObject({ status: 'paused' });
  });

  test('a session that ends before its bind gets no route', async () => {
    const session = await creatingSession(db);
    await endSession(db, { id: session.id, ...completed });
    expect(await bindRoute(db, routeOf(session))).toBeNull();
    expect(await findRoute(db, { sessionId: session.id })).toBeNull();
  });

  test('a bind that names another epoch changes nothing', async () => {
    const session = await creatingSession(db);
    expect(await bindRoute(db, routeOf({ id: session.id, epoch: 2 }))).toBeNull();
    expect((await findSession(db, { id: session.id }))?.status).toBe('creating');
  });

  test('an end that names an earlier epoch changes nothing, and one for any epoch ends the session', async () => {
    const { id } = await activeSession(db);
    await db.sql`update sessions set epoch = 2 where id = ${id}`;
    const lost = { id, epoch: 1, to: 'failed', reason: 'sandbox_lost' } as const;
    expect(await endSession(db, lost)).toBeNull();
    expect(await findSession(db, { id })).toMatchObject({ status: 'active', epoch: 2, endedAt: null });
    expect(await endSession(db, { ...lost, epoch: 'any' })).toMatchObject({ status: 'failed', epoch: 2 });
    const next = await activeSession(db);
    await db.sql`update sessions set epoch = 2 where id = ${next.id}`;
    expect(await endSession(db, { ...lost, id: next.id, epoch: 2 })).toMatchObject({ status: 'failed' });
  });

  test('an end for a deadline happens only while the deadline has passed and nothing runs', async () => {
    const { id } = await activeSession(db, { timeoutSeconds: 1000, idleTimeoutSeconds: 100 });
    const endIdle = () => endSession(db, { id, epoch: 1, ifPassed: 'idle', to: 'expired', reason: 'idle_timeout' });
    expect(await endIdle()).toBeNull();
    await db.sql`update sessions set last_activity_at = now() - interval '101 seconds' where id = ${id}`;
    const step = await storedStep(db, {
      sessionId: id,
      number: 1,
      status: 'running',
      replicaId: 'r',
      finishedAt: null,
    });
    expect(await endIdle()).toBeNull();
    expect(await endSession(db, { id, epoch: 1, ifPassed: 'age', to: 'expired', reason: 'max_age' })).toBeNull();
    expect(
      await endSession(db, { id, epoch: 1, ifPassed: 'start', to: 'failed', reason: 'sandbox_start_timeout' }),
    ).toBeNull();
    await db.sql`update steps set replica_id = null where id = ${step.id}`;
    expect((await endIdle())?.status).toBe('expired');
  });

  test('the words of a runtime about an end are stored even if they contain characters that Postgres refuses', async () => {
    const { id } = await activeSession(db);
    const message = `a\0b\ud800${'x'.repeat(2000)}`;
    const ended = await endSession(db, { id, epoch: 1, to: 'failed', reason: 'sandbox_lost', message });
    expect(ended?.endMessage).toHaveLength(1000);
    expect(ended?.endMessage?.startsWith('a\ufffdb\ufffdx')).toBe(true);
  });

  test('one of ten ends at once succeeds, and its reason stays', async () => {
    const session = await activeSession(db);
    const reasons = ['idle_timeout', 'max_age'] as const;
    const ends = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        endSession(db, {
          id: session.id,
          epoch: 1,
          to: 'expired',
          reason: reasons[i % 2] ?? 'max_age',
          message: `${i}`,
        }),
      ),
    );
    const [winner, ...others] = ends.filter((row) => row !== null);
    expect(others).toEqual([]);
    expect(await findSession(db, { id: session.id })).toEqual(winner);
    expect(winner?.endedAt).toBeInstanceOf(Date);
  });
});

describe('the quota', () => {
  test('is never exceeded by creations at once, and counts an ended session until its sandbox is gone', async () => {
    const tenant = 'quota';
    await creatingSession(db, { tenant: 'other' });
    const made = await Promise.allSettled(
      Array.from({ length: 12 }, () => creatingSession(db, { tenant, sessionsMax: 5 })),
    );
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    const { items } = await listSessions(db, { tenant, limit: 10 });
    const [ended] = items;
    await endSession(db, { id: ended?.id ?? '', ...completed });
    await expect(creatingSession(db, { tenant, sessionsMax: 5 })).rejects.toThrow('the quota is reached');
    await markSandboxGone(db, { id: ended?.id ?? '', epoch: 1 });
    await expect(creatingSession(db, { tenant, sessionsMax: 5 })).resolves.toBeDefined();
  });
});

describe('lists', () => {
  test('pages hold every session once, newest first, even if many have the same time', async () => {
    const tenant = 'pages';
    const made = await Promise.all(Array.from({ length: 23 }, () => creatingSession(db, { tenant })));
    await db.orm
      .update(sessions)
      .set({ createdAt: new Date('2026-01-01T00:00:00.001Z') })
      .where(sql`tenant = 'pages'`);
    const seen: string[] = [];
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const page = await listSessions(db, { tenant, limit: 5, cursor });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(
      made
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
  });

  test('a list can begin with the oldest, and be cut by the time of creation', async () => {
    const tenant = 'times';
    const made = [];
    for (const day of [3, 1, 2, 4]) {
      const { id } = await creatingSession(db, { tenant });
      await db.sql`update sessions set created_at = ${`2026-01-0${day}T00:00:00Z`}::timestamptz where id = ${id}`;
      made[day] = id;
    }
    const wanted = { tenant, order: 'asc', createdAfter: '2026-01-02T00:00:00Z' } as const;
    const first = await listSessions(db, { ...wanted, limit: 2 });
    expect(first.items.map(({ id }) => id)).toEqual([made[2], made[3]]);
    const second = await listSessions(db, { ...wanted, limit: 2, cursor: first.nextCursor ?? '' });
    expect(second.items.map(({ id }) => id)).toEqual([made[4]]);
    expect(second.nextCursor).toBeNull();
    const before = await listSessions(db, { tenant, createdBefore: '2026-01-02T01:00:00+01:00', limit: 5 });
    expect(before.items.map(({ id }) => id)).toEqual([made[1]]);
  });

  test('a list contains only sessions with the tenant, a status and all of the metadata asked for', async () => {
    const tenant = 'filters';
    const wanted = await activeSession(db, { tenant, metadata: { team: 'a', 'x/y': '1' } });
    await activeSession(db, { tenant: 'elsewhere', metadata: { team: 'a', 'x/y': '1' } });
    await activeSession(db, { tenant, metadata: { team: 'a' } });
    await creatingSession(db, { tenant, metadata: { team: 'a', 'x/y': '1' } });
    const metadata = { team: 'a', 'x/y': '1' };
    const page = await listSessions(db, { tenant, statuses: ['active'], metadata, limit: 10 });
    expect(page.items.map(({ id }) => id)).toEqual([wanted.id]);
    expect(page.items[0]?.metadata).toEqual(metadata);
    expect(page.nextCursor).toBeNull();
  });

  test.each([
    'x',
    'bm9uc2Vuc2U',
    Buffer.from('["a","b"]').toString('base64url'),
    Buffer.from('[1e99,"b"]').toString('base64url'),
    Buffer.from('[1,"\\u0000"]').toString('base64url'),
    Buffer.from('{}').toString('base64url'),
  ])('rejects a cursor that no page gave: %s', async (cursor) => {
    await expect(listSessions(db, { tenant: 'acme', limit: 5, cursor })).rejects.toMatchObject({
      slug: 'invalid-request',
      options: { errors: [{ pointer: 'query/cursor' }] },
    });
  });
});

describe('patches', () => {
  test('a patch changes only the given fields, only for the tenant, and only before the end', async () => {
    const session = await creatingSession(db, { metadata: { a: '1' } });
    const patched = await patchSession(db, { id: session.id, tenant: 'acme', patch: { timeoutSeconds: 7 } });
    expect(patched).toMatchObject({ timeoutSeconds: 7, idleTimeoutSeconds: 600, metadata: { a: '1' } });
    const added = await patchSession(db, { id: session.id, tenant: 'acme', patch: { metadata: { b: '2' } } });
    expect(added?.metadata).toEqual({ a: '1', b: '2' });
    const merged = await patchSession(db, {
      id: session.id,
      tenant: 'acme',
      patch: { metadata: { a: null, b: '3', missing: null } },
    });
    expect(merged?.metadata).toEqual({ b: '3' });
    expect(await patchSession(db, { id: session.id, tenant: 'other', patch: { timeoutSeconds: 8 } })).toBeNull();
    await endSession(db, { id: session.id, ...completed });
    expect(await patchSession(db, { id: session.id, tenant: 'acme', patch: { timeoutSeconds: 8 } })).toBeNull();
  });
});

describe('bounds of a patch', () => {
  const patchOf = (id: string, patch: Parameters<typeof patchSession>[1]['patch']) =>
    patchSession(db, { id, tenant: 'acme', patch });

  test('a session gets as many entries of metadata as it may have, and no more by several patches', async () => {
    const { id } = await creatingSession(db, { metadata: {} });
    const entries = (from: number, to: number) =>
      Object.fromEntries(Array.from({ length: to - from }, (_, index) => [`key${from + index}`, 'x']));
    await patchOf(id, { metadata: entries(0, 40) });
    expect(await patchOf(id, { metadata: entries(40, 65) })).toBeNull();
    expect(Object.keys((await patchOf(id, { metadata: entries(40, 64) }))?.metadata ?? {})).toHaveLength(64);
    expect(await patchOf(id, { metadata: { key0: null, more: 'x' } })).toMatchObject({ metadata: { more: 'x' } });
  });

  test('a session expires the asked time from now, and never later than a week after its creation', async () => {
    const { id } = await creatingSession(db);
    await db.sql`update sessions set created_at = now() - interval '1 day' where id = ${id}`;
    const patched = await patchOf(id, { expiresInSeconds: 60 });
    expect(patched?.timeoutSeconds).toBeGreaterThanOrEqual(86_460);
    expect(patched?.timeoutSeconds).toBeLessThan(86_490);
    expect(await patchOf(id, { expiresInSeconds: 604_800 - 86_300 })).toBeNull();
  });
});

describe('deletion', () => {
  test('a session is deleted only after its end and its sandbox, with everything that belongs to it, and leaves a tombstone', async () => {
    const session = await activeSession(db);
    await storedStep(db, { sessionId: session.id, number: 1 });
    expect(await deleteSession(db, session)).toBe(false);
    expect(await markSandboxGone(db, session)).toBeNull();
    expect(await requestDeletion(db, session)).toBeNull();
    await endSession(db, { id: session.id, ...completed });
    expect(await requestDeletion(db, session)).not.toBeNull();
    expect(await deleteSession(db, session)).toBe(false);
    expect(await markSandboxGone(db, { id: session.id, epoch: 2 })).toBeNull();
    expect(await markSandboxGone(db, session)).not.toBeNull();
    expect(await markSandboxGone(db, session)).toBeNull();
    expect(await findTombstone(db, { sessionId: session.id })).toBeNull();
    expect(await deleteSession(db, session)).toBe(true);
    expect(await deleteSession(db, session)).toBe(false);
    expect(await findSession(db, { id: session.id })).toBeNull();
    expect(await findTombstone(db, { sessionId: session.id })).toMatchObject({ tenant: 'acme' });
    const [left] = await db.sql`select count(*)::int as steps from steps where session_id = ${session.id}`;
    expect(left?.steps).toBe(0);
  });

  test('a session whose deletion was requested is not listed', async () => {
    const session = await activeSession(db, { tenant: 'going' });
    await endSession(db, { id: session.id, ...completed });
    await requestDeletion(db, session);
    expect((await listSessions(db, { tenant: 'going', limit: 10 })).items).toEqual([]);
  });
});
