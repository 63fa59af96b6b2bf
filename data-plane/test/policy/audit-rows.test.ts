import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countAudit } from '../../src/registry/audit/count-audit.ts';
import { listAudit } from '../../src/registry/audit/list-audit.ts';
import { purgeAudit } from '../../src/registry/audit/purge-audit.ts';
import { recordAudit } from '../../src/registry/audit/record-audit.ts';
import type { Database } from '../../src/registry/connect.ts';
import { beginRecovery } from '../../src/registry/sessions/begin-recovery.ts';
import { deleteSession } from '../../src/registry/sessions/delete-session.ts';
import { endSession } from '../../src/registry/sessions/end-session.ts';
import { markSandboxGone } from '../../src/registry/sessions/mark-sandbox-gone.ts';
import { patchSession } from '../../src/registry/sessions/patch-session.ts';
import { beginPause, cancelPause } from '../../src/registry/sessions/pause-session.ts';
import { requestDeletion } from '../../src/registry/sessions/request-deletion.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession, creatingSession, storedStep } from '../support/registry-rows.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase({ poolMax: 4 });
  db = database.db;
});
afterAll(() => database.drop());

const asked = (operation: string) => ({ actor: 'host', keyId: 'key_1', operation }) as const;
const entriesOf = async (sessionId: string, more: object = {}) =>
  (await listAudit(db, { sessionId, tenant: 'acme', limit: 200, ...more })).items;
const shown = async (sessionId: string) =>
  (await entriesOf(sessionId)).map((entry) => [entry.operation, entry.actor, entry.keyId, entry.arguments?.status]);

test('each change of a session leaves one entry, with the key of its request or as the doing of the system', async () => {
  const { id } = await activeSession(db, { change: asked('session.create') });
  await patchSession(db, { id, tenant: 'acme', patch: { metadata: { a: 'b' } }, change: asked('session.update') });
  const pause = { id, epoch: 1, replicaId: 'r', seconds: 60, ifIdle: false };
  await beginPause(db, { ...pause, change: asked('session.pause') });
  await cancelPause(db, { id, epoch: 1, deadlineAt: 'any', replicaId: 'r' });
  const recovery = { id, epoch: 1, from: 'active', isAutomatic: false, sandboxName: 's2', replicaId: 'r' } as const;
  await beginRecovery(db, { ...recovery, startSeconds: 60, attemptsMax: 3, because: { reason: 'sandbox_lost' } });
  await endSession(db, {
    id,
    epoch: 2,
    to: 'completed',
    reason: 'completed_by_host',
    change: asked('session.complete'),
  });
  await requestDeletion(db, { id, tenant: 'acme', change: asked('session.delete') });
  expect(await shown(id)).toEqual([
    ['session.create', 'host', 'key_1', 'creating'],
    ['session.status', 'system', null, 'active'],
    ['session.update', 'host', 'key_1', 'active'],
    ['session.pause', 'host', 'key_1', 'pausing'],
    ['session.status', 'system', null, 'active'],
    ['session.status', 'system', null, 'recovering'],
    ['session.complete', 'host', 'key_1', 'completed'],
    ['session.delete', 'host', 'key_1', 'completed'],
  ]);
  const recovering = (await entriesOf(id))[5];
  expect(recovering?.arguments).toEqual({ from: 'active', status: 'recovering', epoch: 2, reason: 'sandbox_lost' });
});

test('a change that is rolled back leaves no entry, and a refused one neither', async () => {
  const { id } = await activeSession(db);
  const before = await shown(id);
  const failing = db.transaction(async (tx) => {
    await endSession(tx, { id, epoch: 1, to: 'aborted', reason: 'aborted_by_host', change: asked('session.abort') });
    throw new Error('the connection is lost');
  });
  await expect(failing).rejects.toThrow('the connection is lost');
  expect(await endSession(db, { id, epoch: 7, to: 'aborted', reason: 'aborted_by_host' })).toBeNull();
  expect(await shown(id)).toEqual(before);
});

test('the steps of a session are in its log, and writing them fires no trigger', async () => {
  const { id: sessionId } = await activeSession(db);
  const before = (await db.sql`select count(*)::int as count from audit_entries`)[0]?.count;
  const step = await storedStep(db, { sessionId, number: 1, keyId: 'key_2', durationMs: 12 });
  await db.sql`update sessions set step_count = 1, last_activity_at = now() where id = ${sessionId}`;
  const after = (await db.sql`select count(*)::int as count from audit_entries`)[0]?.count;
  expect(after).toBe(before);
  expect(await entriesOf(sessionId, { turn: 1 })).toMatchObject([
    { operation: 'step.run', turn: 1, stepId: step.id, actor: 'agent', keyId: 'key_2', durationMs: 12 },
  ]);
});

test('entries come in pages, in their order, by turn, by operation, and counted', async () => {
  const { id: sessionId } = await creatingSession(db);
  const entry = { sessionId, tenant: 'acme', actor: 'agent', decision: 'allowed' } as const;
  const many = Array.from({ length: 25 }, (_, i) => ({
    ...entry,
    operation: 'memo.put',
    turn: i,
    tokens: 2,
    durationMs: 0.1,
    cost: '0.1',
  }));
  await recordAudit(db, ...many, {
    ...entry,
    operation: 'llm.complete',
    decision: 'denied',
    rule: 'llm.allowComplete',
  });
  const turns: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await listAudit(db, { sessionId, tenant: 'acme', operation: 'memo.put', limit: 10, cursor });
    turns.push(...page.items.map(({ turn }) => turn));
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  expect(turns).toEqual(many.map(({ turn }) => turn));
  expect(await entriesOf(sessionId, { turn: 3 })).toHaveLength(1);
  expect(await countAudit(db, { sessionId, tenant: 'acme' })).toEqual([
    { operation: 'llm.complete', count: 1, denied: 1, durationMs: 0, tokens: 0, cost: '0' },
    { operation: 'memo.put', count: 25, denied: 0, durationMs: 2.5, tokens: 50, cost: '2.5' },
    { operation: 'session.create', count: 1, denied: 0, durationMs: 0, tokens: 0, cost: '0' },
  ]);
  expect(await listAudit(db, { sessionId, tenant: 'other', limit: 10 })).toEqual({ items: [], nextCursor: null });
});

test('the log of a deleted session stays', async () => {
  const { id } = await activeSession(db);
  await endSession(db, { id, epoch: 1, to: 'completed', reason: 'completed_by_host' });
  await markSandboxGone(db, { id, epoch: 1 });
  expect(await deleteSession(db, { id })).toBe(true);
  expect((await shown(id)).at(-1)).toEqual(['session.purge', 'system', null, undefined]);
});

test.each([
  `update audit_entries set actor = 'system'`,
  'delete from audit_entries',
  'truncate audit_entries',
  `insert into audit_entries (session_id, tenant, actor, operation, decision) values ('s', 't', 'host', 'o', 'allowed')
    on conflict (id) do update set actor = 'system'`,
  'alter table sessions disable trigger sessions_audit_update',
  'create or replace function audit_session() returns trigger language plpgsql as $$ begin return null; end $$',
])('the role of the data-plane is refused: %s', async (statement) => {
  await creatingSession(db);
  await expect(db.sql.unsafe(statement)).rejects.toMatchObject({ code: '42501' });
});

test('only the role that owns the tables deletes entries, and only those that are old', async () => {
  const sessionId = newId('ses');
  const entry = { sessionId, tenant: 'acme', actor: 'system', operation: 'o', decision: 'allowed' } as const;
  await recordAudit(db, entry, entry);
  await database.owner.sql`
    update audit_entries set time = now() - interval '2 days' where id = (select min(id) from audit_entries where session_id = ${sessionId})`;
  await expect(purgeAudit(db, { olderThanSeconds: 86_400 })).rejects.toMatchObject({ code: '42501' });
  expect(await purgeAudit(database.owner, { olderThanSeconds: 86_400 })).toBe(1);
  expect(await entriesOf(sessionId)).toHaveLength(1);
});
