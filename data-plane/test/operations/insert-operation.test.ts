import { newId, operationIdFor } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findPendingOperation } from '../../src/registry/operations/find-pending-operation.ts';
import { insertOperation } from '../../src/registry/operations/insert-operation.ts';
import { listOperations } from '../../src/registry/operations/list-operations.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession, storedStep } from '../support/registry-rows.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ poolMax: 4 });
});
afterAll(() => database.drop());

test('two replicas that insert a call at the same time both learn that it is there', async () => {
  const { db } = database;
  const { id: sessionId } = await activeSession(db);
  const running = { status: 'running', finishedAt: null, replicaId: newId('rep') } as const;
  const { id: stepId } = await storedStep(db, { sessionId, number: 1, ...running });
  const call = { id: operationIdFor(stepId, 1), sessionId, stepId, call: 1, name: 'llm.complete', arguments: '[]' };
  const insert = (queries: Parameters<typeof insertOperation>[0]) =>
    insertOperation(queries, { ...call, auditedArguments: {}, seconds: 60, denial: null });
  const { late, early } = await db.transaction(async (tx) => {
    const early = await insert(tx);
    const late = insert(db);
    await eventually(async () => {
      const [waiting] = await db.sql`select count(*)::int as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into operations%'`;
      expect(waiting?.count).toBe(1);
    });
    return { early, late };
  });
  expect(early).toEqual({ isNew: true, rule: null });
  expect(await late).toEqual({ isNew: false, rule: null });
});

test('a call never becomes visible behind one that a client has seen', async () => {
  const { db } = database;
  const { id: sessionId } = await activeSession(db);
  const running = { status: 'running', finishedAt: null, replicaId: newId('rep') } as const;
  const { id: stepId } = await storedStep(db, { sessionId, number: 1, ...running });
  const insert = (queries: Parameters<typeof insertOperation>[0], call: number) => {
    const asked = { id: operationIdFor(stepId, call), sessionId, stepId, call, name: 'llm.complete', arguments: '[]' };
    return insertOperation(queries, { ...asked, auditedArguments: {}, seconds: 60, denial: null });
  };
  const pending = async (after?: string) => (await findPendingOperation(db, { sessionId, stepId, after }))?.id;
  const [first, second] = [operationIdFor(stepId, 1), operationIdFor(stepId, 2)];
  const later = await db.transaction(async (tx) => {
    await insert(tx, 1);
    const later = insert(db, 2);
    await eventually(async () => {
      const [waiting] = await db.sql`select count(*)::int as count from pg_stat_activity
        where datname = current_database() and wait_event = 'advisory' and query like '%insert into operations%'`;
      expect(waiting?.count).toBe(1);
    });
    expect(await pending()).toBeUndefined();
    return { inserted: later };
  });
  await later.inserted;
  expect([await pending(), await pending(first), await pending(second)]).toEqual([first, second, undefined]);
});

test('a call whose transaction began before others and committed after them is on a later page than they are', async () => {
  const { db } = database;
  const { id: sessionId } = await activeSession(db);
  const running = { status: 'running', finishedAt: null, replicaId: newId('rep') } as const;
  const { id: stepId } = await storedStep(db, { sessionId, number: 1, ...running });
  const ids = [1, 2, 3].map((call) => operationIdFor(stepId, call));
  const insert = (queries: Parameters<typeof insertOperation>[0], call: number) => {
    const asked = { id: operationIdFor(stepId, call), sessionId, stepId, call, name: 'llm.complete', arguments: '[]' };
    return insertOperation(queries, { ...asked, auditedArguments: {}, seconds: 60, denial: null });
  };
  const page = (cursor?: string | null) => listOperations(db, { sessionId, limit: 1, ...(cursor && { cursor }) });
  const first = await db.transaction(async (tx) => {
    await tx.sql`select now()`;
    for (const call of [1, 2]) await insert(db, call);
    const first = await page();
    await insert(tx, 3);
    return first;
  });
  const second = await page(first.nextCursor);
  const third = await page(second.nextCursor);
  expect([first, second, third].flatMap(({ items }) => items.map(({ id }) => id))).toEqual(ids);
  expect(third.nextCursor).toBeNull();
});
