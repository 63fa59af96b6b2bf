import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/registry/connect.ts';
import { findContext } from '../../src/registry/contexts/find-context.ts';
import { insertContext } from '../../src/registry/contexts/insert-context.ts';
import { listContexts } from '../../src/registry/contexts/list-contexts.ts';
import { markContextDeleted } from '../../src/registry/contexts/mark-context-deleted.ts';
import { bindRoute } from '../../src/registry/routes/bind-route.ts';
import { findRoute } from '../../src/registry/routes/find-route.ts';
import { listBoundRoutes } from '../../src/registry/routes/list-bound-routes.ts';
import { storeToken } from '../../src/registry/routes/store-token.ts';
import { touchRoute } from '../../src/registry/routes/touch-route.ts';
import { endSession } from '../../src/registry/sessions/end-session.ts';
import { markSandboxGone } from '../../src/registry/sessions/mark-sandbox-gone.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession, creatingSession, routeOf } from '../support/registry-rows.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase({ poolMax: 8 });
  db = database.db;
});
afterAll(() => database.drop());

test('a route is found with the status and language of its session, until its sandbox is gone', async () => {
  const session = await creatingSession(db, { language: 'node' });
  const route = routeOf(session);
  await bindRoute(db, route);
  const found = { ...route, tenant: 'acme', status: 'active', language: 'node' };
  expect(await findRoute(db, { sessionId: session.id })).toMatchObject(found);
  await endSession(db, { id: session.id, epoch: 1, to: 'failed', reason: 'sandbox_lost' });
  expect(await findRoute(db, { sessionId: session.id })).toMatchObject({ status: 'failed' });
  await markSandboxGone(db, session);
  expect(await findRoute(db, { sessionId: session.id })).toBeNull();
});

test('one of ten replicas succeeds in storing the next token, and none in storing a token of another epoch', async () => {
  const session = await activeSession(db);
  const { tokenExpiresAt: previousExpiresAt } = routeOf(session);
  const next = (i: number, epoch = 1) =>
    storeToken(db, {
      sessionId: session.id,
      epoch,
      previousExpiresAt,
      token: `sealed-2-${i}`,
      tokenExpiresAt: new Date(previousExpiresAt.getTime() + 1 + i),
    });
  expect(await next(0, 2)).toBe(false);
  const stored = await Promise.all(Array.from({ length: 10 }, (_, i) => next(i)));
  expect(stored.filter(Boolean)).toHaveLength(1);
  const route = await findRoute(db, { sessionId: session.id });
  expect(route?.token).toBe(`sealed-2-${stored.indexOf(true)}`);
});

test('lists all bound routes, and records an answer of the agent for the right epoch only', async () => {
  const session = await activeSession(db);
  await db.sql`update session_routes set last_seen_at = 'epoch' where session_id = ${session.id}`;
  const lastSeen = async () => (await findRoute(db, { sessionId: session.id }))?.lastSeenAt.getTime();
  await touchRoute(db, { sessionId: session.id, epoch: 2 });
  expect(await lastSeen()).toBe(0);
  await touchRoute(db, { sessionId: session.id, epoch: 1 });
  expect(await lastSeen()).toBeGreaterThan(0);
  const listed = (await listBoundRoutes(db)).find(({ sessionId }) => sessionId === session.id);
  expect(listed).toMatchObject({ sandboxName: `sandbox-${session.id}` });
});

test('a context is created once, deleted once, and found in either case', async () => {
  const { id: sessionId } = await activeSession(db);
  const context = { sessionId, id: 'ctx_1', language: 'node' as const, cwd: 'sub' };
  expect(await insertContext(db, context)).toMatchObject(context);
  expect(await insertContext(db, { ...context, cwd: 'other' })).toBeNull();
  expect(await listContexts(db, { sessionId })).toMatchObject([context]);
  expect(await markContextDeleted(db, { sessionId, contextId: 'ctx_1' })).toMatchObject({ id: 'ctx_1' });
  expect(await markContextDeleted(db, { sessionId, contextId: 'ctx_1' })).toBeNull();
  expect(await listContexts(db, { sessionId })).toEqual([]);
  expect((await findContext(db, { sessionId, contextId: 'ctx_1' }))?.deletedAt).toBeInstanceOf(Date);
  expect(await findContext(db, { sessionId, contextId: 'ctx_2' })).toBeNull();
});
