import { type SessionStatus, sessionStatuses } from '@holdfast/specs/public';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/registry/connect.ts';
import { bindRoute } from '../../src/registry/routes/bind-route.ts';
import { findRoute } from '../../src/registry/routes/find-route.ts';
import { sessions } from '../../src/registry/schema/sessions.ts';
import { deleteSession } from '../../src/registry/sessions/delete-session.ts';
import { endSession } from '../../src/registry/sessions/end-session.ts';
import { findSession } from '../../src/registry/sessions/find-session.ts';
import { findTombstone } from '../../src/registry/sessions/find-tombstone.ts';
import { listSessions } from '../../src/registry/sessions/list-sessions.ts';
import { markSandboxGone } from '../../src/registry/sessions/mark-sandbox-gone.ts';
import { patchSession } from '../../src/registry/sessions/patch-session.ts';
import { requestDeletion } from '../../src/registry/sessions/request-deletion.ts';
import { mayFollow } from '../../src/registry/status.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession, creatingSession, routeOf, storedStep } from '../support/registry-rows.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase({ poolMax: 8 });
  db = database.db;
});
afterAll(() => database.drop());

const completed = { to: 'completed', reason: 'completed_by_host' } as const;
const withStatus = async (status: SessionStatus) => {
  const session = await creatingSession(db);
  await db.orm.update(sessions).set({ status }).where(sql`${sessions.id} = ${session.id}`);
  return session;
};

describe('transitions', () => {
  test.each(sessionStatuses)('from %s only what the state table allows happens', async (from) => {
    const bound = await bindRoute(db, routeOf(await withStatus(from)));
    expect(bound?.status).toBe(mayFollow(from, 'active') ? 'active' : undefined);
    const ended = await endSession(db, { id: (await withStatus(from)).id, to: 'expired', reason: 'max_age' });
    expect(ended?.status).toBe(mayFollow(from, 'expired') ? 'expired' : undefined);
  });

  test('a session that has ended while it was being bound keeps no route', async () => {
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

  test('an end for a deadline happens only while the deadline has passed and nothing runs', async () => {
    const { id } = await activeSession(db, { timeoutSeconds: 1000, idleTimeoutSeconds: 100 });
    const endIdle = () => endSession(db, { id, ifDue: 'idle', to: 'expired', reason: 'idle_timeout' });
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
    expect(await endSession(db, { id, ifDue: 'max_age', to: 'expired', reason: 'max_age' })).toBeNull();
    expect(
      await endSession(db, { id, ifDue: 'start_overdue', to: 'failed', reason: 'sandbox_start_timeout' }),
    ).toBeNull();
    await db.sql`update steps set replica_id = null where id = ${step.id}`;
    expect((await endIdle())?.status).toBe('expired');
  });

  test('what a runtime says of an end is stored also where it holds what no database can', async () => {
    const { id } = await activeSession(db);
    const message = `a\0b\ud800${'x'.repeat(2000)}`;
    const ended = await endSession(db, { id, to: 'failed', reason: 'sandbox_lost', message });
    expect(ended?.endMessage).toHaveLength(1000);
    expect(ended?.endMessage?.startsWith('a\ufffdb\ufffdx')).toBe(true);
  });

  test('of ten ends at once one succeeds, and its reason stays', async () => {
    const session = await activeSession(db);
    const reasons = ['idle_timeout', 'max_age'] as const;
    const ends = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        endSession(db, { id: session.id, to: 'expired', reason: reasons[i % 2] ?? 'max_age', message: `${i}` }),
      ),
    );
    const [winner, ...others] = ends.filter((row) => row !== null);
    expect(others).toEqual([]);
    expect(await findSession(db, { id: session.id })).toEqual(winner);
    expect(winner?.endedAt).toBeInstanceOf(Date);
  });
});

describe('the quota', () => {
  test('is never exceeded by creations at once, and does not count other tenants or ended sessions', async () => {
    const tenant = 'quota';
    await creatingSession(db, { tenant: 'other' });
    const made = await Promise.allSettled(
      Array.from({ length: 12 }, () => creatingSession(db, { tenant, sessionsMax: 5 })),
    );
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    const { items } = await listSessions(db, { tenant, limit: 10 });
    await endSession(db, { id: items[0]?.id ?? '', ...completed });
    await expect(creatingSession(db, { tenant, sessionsMax: 5 })).resolves.toBeDefined();
  });
});

describe('lists', () => {
  test('pages hold every session once, newest first, also where many have the same time', async () => {
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

  test('a list keeps to the tenant, the statuses and all of the metadata', async () => {
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
  ])('a cursor that no page gave is an invalid request: %s', async (cursor) => {
    await expect(listSessions(db, { tenant: 'acme', limit: 5, cursor })).rejects.toMatchObject({
      slug: 'invalid-request',
      options: { errors: [{ pointer: 'query/cursor' }] },
    });
  });
});

describe('patches', () => {
  test('only what is given changes, and only for the tenant and before the end', async () => {
    const session = await creatingSession(db, { metadata: { a: '1' } });
    const patched = await patchSession(db, { id: session.id, tenant: 'acme', patch: { timeoutSeconds: 7 } });
    expect(patched).toMatchObject({ timeoutSeconds: 7, idleTimeoutSeconds: 600, metadata: { a: '1' } });
    const replaced = await patchSession(db, { id: session.id, tenant: 'acme', patch: { metadata: { b: '2' } } });
    expect(replaced?.metadata).toEqual({ b: '2' });
    expect(await patchSession(db, { id: session.id, tenant: 'other', patch: { timeoutSeconds: 8 } })).toBeNull();
    await endSession(db, { id: session.id, ...completed });
    expect(await patchSession(db, { id: session.id, tenant: 'acme', patch: { timeoutSeconds: 8 } })).toBeNull();
  });
});

describe('deletion', () => {
  test('a session goes only after its end and its sandbox, with all that belongs to it, and leaves a tombstone', async () => {
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

  test('a session whose deletion was asked for is listed no more', async () => {
    const session = await activeSession(db, { tenant: 'going' });
    await endSession(db, { id: session.id, ...completed });
    await requestDeletion(db, session);
    expect((await listSessions(db, { tenant: 'going', limit: 10 })).items).toEqual([]);
  });
});
