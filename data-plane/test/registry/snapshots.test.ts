import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertSnapshot, type NewSnapshot } from '../../src/registry/snapshots/insert-snapshot.ts';
import { listBases } from '../../src/registry/snapshots/list-bases.ts';
import { listLatestSnapshots } from '../../src/registry/snapshots/list-latest-snapshots.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession } from '../support/registry-rows.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** A context without a content. */
async function insert(sessionId: string, origin: NewSnapshot['origin'], contextEpoch: number, executionCount: number) {
  const context = {
    sessionId,
    contextId: 'python',
    language: 'python',
    epoch: 1,
    contextEpoch,
    executionCount,
    silentCount: 0,
  };
  const snapshot = { id: newId('snp'), origin, sha256: null, size: 0, manifest: null, ...context };
  expect(await insertSnapshot(database.db, snapshot)).not.toBeNull();
  return snapshot.id;
}

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

test('a snapshot replaces earlier ones that nothing but a recovery needs, and the beginning of a context only another beginning', async () => {
  const { db } = database;
  const { id: sessionId } = await activeSession(db);
  const all = async () =>
    idsOf(await db.sql<{ id: string }[]>`select id from snapshots where session_id = ${sessionId} order by id`);
  const base = await insert(sessionId, 'base', 1, 0);
  await insert(sessionId, 'auto', 1, 1);
  const request = await insert(sessionId, 'request', 1, 2);
  const auto = await insert(sessionId, 'auto', 1, 3);
  expect(await all()).toEqual([base, request, auto].sort());
  const next = await insert(sessionId, 'base', 2, 0);
  expect(await all()).toEqual([request, next].sort());
  expect(idsOf(await listBases(db, { sessionId }))).toEqual([next]);
});

test('the later one of two snapshots after the same step is the latest', async () => {
  const { db } = database;
  for (const lateOne of [0, 1]) {
    const { id: sessionId } = await activeSession(db);
    const ids = [await insert(sessionId, 'base', 1, 0), await insert(sessionId, 'auto', 1, 0)];
    await db.sql`update snapshots set created_at = now() + interval '1 second' where id = ${ids[lateOne] ?? ''}`;
    expect(idsOf(await listLatestSnapshots(db, { sessionId }))).toEqual([ids[lateOne]]);
  }
});
