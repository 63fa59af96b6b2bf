import { afterAll, beforeAll, expect, test } from 'vitest';
import { listAuditEvents } from '../../src/registry/audit/list-audit-events.ts';
import { recordAudit } from '../../src/registry/audit/record-audit.ts';
import type { Database } from '../../src/registry/connect.ts';
import { listSessionMarks } from '../../src/registry/sessions/list-session-marks.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession } from '../support/registry-rows.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
});
afterAll(() => database.drop());

const markOf = async (id: string) => {
  const [marks] = await listSessionMarks(db, { known: [{ id, entryNumber: 0 }] });
  return marks?.entryNumber ?? Number.NaN;
};
const operationsUpTo = async (sessionId: string, upTo: number) =>
  (await listAuditEvents(db, { sessionId, after: 0, upTo, limit: 100 })).map(({ operation }) => operation);

test('the mark of a session stays below an entry that is not committed, even if later ones are', async () => {
  const { id: sessionId, tenant } = await activeSession(db);
  const record = (queries: Parameters<typeof recordAudit>[0], operation: string) =>
    recordAudit(queries, { sessionId, tenant, actor: 'host', operation, decision: 'allowed' });
  const before = await markOf(sessionId);
  const early = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const slow = db.transaction(async (tx) => {
    await record(tx, 'early');
    begun.resolve();
    await early.promise;
  });
  await begun.promise;
  await record(db, 'late');
  expect(before).toBeGreaterThan(0);
  expect(await markOf(sessionId)).toBe(0);
  const { id: otherId } = await activeSession(db);
  expect(await markOf(otherId)).toBeGreaterThan(before);
  early.resolve();
  await slow;
  const mark = await markOf(sessionId);
  expect(mark).toBeGreaterThan(before);
  expect((await operationsUpTo(sessionId, mark)).slice(-2)).toEqual(['early', 'late']);
});

test('an entry that waits for the lock of its session gets its number when it has the lock', async () => {
  const { id: sessionId, tenant } = await activeSession(db);
  const entry = { sessionId, tenant, actor: 'host', operation: 'waiting', decision: 'allowed' } as const;
  const holder = database.owner.connectAlone();
  await holder`select pg_advisory_lock(49, hashtext(${sessionId}))`;
  const waiting = recordAudit(db, entry);
  await eventually(async () => {
    const locks = await holder`select from pg_locks where locktype = 'advisory' and classid = 49 and not granted`;
    expect(locks).toHaveLength(1);
  });
  const { id: otherId } = await activeSession(db);
  const other = await markOf(otherId);
  await holder`select pg_advisory_unlock(49, hashtext(${sessionId}))`;
  await waiting;
  expect(await markOf(sessionId)).toBeGreaterThan(other);
  await holder.end();
});

test('the entries of one session never wait for each other', async () => {
  const { id: sessionId, tenant } = await activeSession(db);
  const entry = { sessionId, tenant, actor: 'host', operation: 'x', decision: 'allowed' } as const;
  await db.transaction(async (tx) => {
    await recordAudit(tx, entry);
    await recordAudit(db, entry);
  });
});

test('many entries at once are all passed on, each once, whenever the marks are read', async () => {
  const { id: sessionId, tenant } = await activeSession(db);
  const seen: string[] = [];
  let after = 0;
  const read = async () => {
    const [marks] = await listSessionMarks(db, { known: [{ id: sessionId, entryNumber: after }] });
    const upTo = marks?.entryNumber ?? 0;
    for (const { operation } of await listAuditEvents(db, { sessionId, after, upTo, limit: 1000 }))
      seen.push(operation);
    after = Math.max(after, upTo);
  };
  const names = Array.from({ length: 300 }, (_, n) => `n${n}`);
  let left = names.length;
  const writing = Promise.all(
    names.map(async (operation) => {
      await db.transaction(async (tx) => {
        await recordAudit(tx, { sessionId, tenant, actor: 'host', operation, decision: 'allowed' });
        await tx.sql`select pg_sleep(random() * 0.01)`;
      });
      left -= 1;
    }),
  );
  while (left > 0) await read();
  await writing;
  await read();
  const own = seen.filter((operation) => operation.startsWith('n'));
  expect(own.toSorted()).toEqual(names.toSorted());
});
