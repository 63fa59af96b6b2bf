import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../src/registry/connect.ts';
import { bindRoute } from '../../src/registry/routes/bind-route.ts';
import { findRoute } from '../../src/registry/routes/find-route.ts';
import { deleteSession } from '../../src/registry/sessions/delete-session.ts';
import { endSession } from '../../src/registry/sessions/end-session.ts';
import { findSession } from '../../src/registry/sessions/find-session.ts';
import { markSandboxGone } from '../../src/registry/sessions/mark-sandbox-gone.ts';
import { purgeHistory } from '../../src/registry/sessions/purge-history.ts';
import { raiseContextEpoch } from '../../src/registry/sessions/raise-context-epoch.ts';
import { requestDeletion } from '../../src/registry/sessions/request-deletion.ts';
import { takeDueSessions } from '../../src/registry/sessions/take-due-sessions.ts';
import { listUnusedClaims } from '../../src/registry/warm-sandboxes/list-unused-claims.ts';
import { retentionOf } from '../../src/sessions/retention.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession, creatingSession, routeOf } from '../support/registry-rows.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
});
beforeEach(async () => {
  await database.owner.sql`truncate sessions, steps, tombstones, replicas, idempotency_keys, warm_sandboxes cascade`;
});
afterAll(() => database.drop());

const completed = { to: 'completed', reason: 'completed_by_host' } as const;
const rowsOf = async (sessionId: string) => [
  ...(await db.sql`
    select epoch, name, uid, state, replica_id as "replicaId", deadline_at > now() as "hasTime" from sandboxes
    where session_id = ${sessionId} order by epoch`),
];
/** As if the session had got another sandbox, which is launching. */
async function nextEpoch(id: string): Promise<void> {
  await db.sql`update sessions set epoch = 2, status = 'creating' where id = ${id}`;
  await db.sql`insert into sandboxes (session_id, epoch, name, state) values (${id}, 2, 'second', 'launching')`;
}

test('a sandbox is launching, bound, fencing and gone, with an owner and a deadline while it is on the way', async () => {
  const session = await creatingSession(db, { replicaId: 'rep_1', sandboxName: 'cold' });
  const row = { epoch: 1, name: 'cold', uid: null, replicaId: null, hasTime: null };
  expect(await rowsOf(session.id)).toEqual([{ ...row, state: 'launching', replicaId: 'rep_1', hasTime: true }]);
  await bindRoute(db, { ...routeOf(session), sandboxName: 'warm', sandboxUid: 'uid_1' });
  const bound = { ...row, name: 'warm', uid: 'uid_1' };
  expect(await rowsOf(session.id)).toEqual([{ ...bound, state: 'bound' }]);
  await endSession(db, { id: session.id, epoch: 1, ...completed, replicaId: 'rep_2' });
  expect(await rowsOf(session.id)).toEqual([{ ...bound, state: 'fencing', replicaId: 'rep_2', hasTime: true }]);
  await markSandboxGone(db, session);
  expect(await rowsOf(session.id)).toEqual([{ ...bound, state: 'gone' }]);
});

test('a session is at rest, and can be deleted, when its sandboxes of every epoch are gone', async () => {
  const session = await activeSession(db);
  await nextEpoch(session.id);
  await endSession(db, { id: session.id, epoch: 2, ...completed });
  expect((await rowsOf(session.id)).map(({ state }) => state)).toEqual(['fencing', 'fencing']);
  await requestDeletion(db, session);
  expect(await markSandboxGone(db, { id: session.id, epoch: 2 })).toBeNull();
  expect(await deleteSession(db, session)).toBe(false);
  expect(await findRoute(db, { sessionId: session.id })).toBeNull();
  expect(await markSandboxGone(db, { id: session.id, epoch: 1 })).toMatchObject({ id: session.id });
  expect(await deleteSession(db, session)).toBe(true);
});

test('the later of two sandboxes that are gone at the same moment is the last', async () => {
  const session = await activeSession(db);
  await nextEpoch(session.id);
  await endSession(db, { id: session.id, epoch: 2, ...completed });
  const marked = await Promise.all([1, 2].map((epoch) => markSandboxGone(db, { id: session.id, epoch })));
  expect(marked.filter((row) => row !== null)).toHaveLength(1);
  expect((await findSession(db, session))?.sandboxGoneAt).toBeInstanceOf(Date);
});

test('an earlier sandbox that is gone leaves the later one and its route alone', async () => {
  const session = await activeSession(db);
  await nextEpoch(session.id);
  await bindRoute(db, routeOf({ id: session.id, epoch: 2 }));
  expect(await markSandboxGone(db, { id: session.id, epoch: 1 })).toBeNull();
  expect((await rowsOf(session.id)).map(({ state }) => state)).toEqual(['gone', 'bound']);
  expect(await findRoute(db, { sessionId: session.id })).toMatchObject({ epoch: 2, status: 'active' });
  expect(await markSandboxGone(db, { id: session.id, epoch: 2 })).toBeNull();
  expect((await rowsOf(session.id)).map(({ state }) => state)).toEqual(['gone', 'bound']);
});

test('the removal that a dead replica has begun is due at once, and one of a live replica is not', async () => {
  await db.sql`insert into replicas (id, slot) values ('rep_live', 'one'), ('rep_next', 'two')`;
  const session = await activeSession(db);
  await endSession(db, { id: session.id, epoch: 1, ...completed });
  const take = (replicaId: string) => takeDueSessions(db, { limit: 10, replicaId, removalSeconds: 45 });
  expect(await take('rep_live')).toHaveLength(1);
  expect(await rowsOf(session.id)).toMatchObject([{ state: 'fencing', replicaId: 'rep_live' }]);
  expect(await take('rep_next')).toEqual([]);
  const ago = db.sql`now() - interval '16 seconds'`;
  await db.sql`update replicas set heartbeat_at = ${ago} where id = 'rep_live'`;
  // Until now the database may have answered no one.
  expect(await take('rep_next')).toEqual([]);
  await db.sql`update replicas set beating_since = ${ago} where id = 'rep_next'`;
  expect(await take('rep_next')).toMatchObject([{ id: session.id }]);
  expect(await take('rep_next')).toEqual([]);
});

describe('a start whose replica is gone', () => {
  const passed = async () => (await takeDueSessions(db, { limit: 10 })).map((due) => due.passed);

  test('is abandoned, but not while its replica lives, nor while a client may repeat its request', async () => {
    await db.sql`insert into replicas (id, slot) values ('rep_live', 'one')`;
    await creatingSession(db, { replicaId: 'rep_live' });
    const { id: resourceId } = await creatingSession(db, { replicaId: 'rep_gone' });
    await db.sql`insert into idempotency_keys (tenant, key, fingerprint, resource_id) values ('acme', 'k', 'f', ${resourceId})`;
    await creatingSession(db);
    expect(await passed()).toEqual([]);
    await creatingSession(db, { replicaId: 'rep_gone' });
    expect(await passed()).toEqual([['abandoned']]);
  });

  test('is not abandoned as long as the database may have answered no replica', async () => {
    const ago = db.sql`now() - interval '60 seconds'`;
    await db.sql`insert into replicas (id, slot, heartbeat_at, beating_since) values ('rep_silent', 'one', ${ago}, ${ago})`;
    await creatingSession(db, { replicaId: 'rep_silent' });
    await db.sql`insert into replicas (id, slot) values ('rep_first', 'two')`;
    expect(await passed()).toEqual([]);
    await db.sql`update replicas set beating_since = ${ago} where id = 'rep_first'`;
    expect(await passed()).toEqual([['abandoned']]);
  });
});

test('a contextEpoch only goes up, and only for the epoch of the sandbox that reports it', async () => {
  const { id } = await activeSession(db);
  expect(await raiseContextEpoch(db, { id, epoch: 1, contextEpoch: 3 })).toBe(3);
  expect(await raiseContextEpoch(db, { id, epoch: 1, contextEpoch: 2 })).toBe(3);
  expect(await raiseContextEpoch(db, { id, epoch: 2, contextEpoch: 4 })).toBeNull();
  expect(await findSession(db, { id })).toMatchObject({ contextEpochMax: 3 });
});

describe('a session in a status that this version does not know', () => {
  /** Everything about it is overdue. */
  async function strange(status: string): Promise<string> {
    const { id } = await activeSession(db, { timeoutSeconds: 1, idleTimeoutSeconds: 1, startSeconds: 1 });
    const ago = db.sql`now() - interval '9 days'`;
    await db.sql`update sessions set status = ${status}, created_at = ${ago}, last_activity_at = ${ago}, next_look_at = ${ago},
      start_deadline_at = ${ago}, ended_at = ${ago} where id = ${id}`;
    return id;
  }
  const rowOf = async (id: string) => (await db.sql`select * from sessions where id = ${id}`)[0];

  test('is neither due nor deferred, ended, marked, deleted nor purged', async () => {
    const id = await strange('archived');
    const before = await rowOf(id);
    expect(await takeDueSessions(db, { limit: 10 })).toEqual([]);
    expect(await endSession(db, { id, epoch: 'any', ...completed })).toBeNull();
    expect(await markSandboxGone(db, { id, epoch: 1 })).toBeNull();
    expect(await requestDeletion(db, { id, tenant: 'acme' })).toBeNull();
    expect(await rowOf(id)).toEqual(before);
    await db.sql`update sessions set sandbox_gone_at = now(), delete_requested_at = now() where id = ${id}`;
    expect(await takeDueSessions(db, { limit: 10 })).toEqual([]);
    expect(await deleteSession(db, { id })).toBe(false);
    await purgeHistory(
      db,
      retentionOf({ stepsPerSessionMax: 10, bytesPerSessionMax: 1e9, bytesPerTenantMax: 1e9, retentionSeconds: 1 }),
    );
    expect(await rowOf(id)).toBeDefined();
  });

  test('counts in the quota', async () => {
    await strange('paused');
    await expect(creatingSession(db, { sessionsMax: 1 })).rejects.toThrow('the quota is reached');
  });

  test('keeps the warm sandbox that it has claimed, for as long as that is for its epoch', async () => {
    const id = await strange('resuming');
    await db.sql`insert into warm_sandboxes (name, profile, network, template, session_id, epoch)
      values ('warm-1', 'default', 'internet', 'one', ${id}, 1)`;
    expect(await listUnusedClaims(db)).toEqual([]);
    await db.sql`update sessions set epoch = 2 where id = ${id}`;
    expect(await listUnusedClaims(db)).toEqual(['warm-1']);
  });
});
