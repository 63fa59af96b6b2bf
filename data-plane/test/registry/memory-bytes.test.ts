import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/registry/connect.ts';
import { assertFact } from '../../src/registry/facts/assert-fact.ts';
import { putMemo } from '../../src/registry/memos/put-memo.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession } from '../support/registry-rows.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
});
afterAll(() => database.drop());

test('the memory of a session counts among the bytes of its tenant', async () => {
  const { id: sessionId, tenant } = await activeSession(db);
  const entry = { sessionId, tenant, actor: 'agent', operation: 'memo.put', decision: 'allowed' } as const;
  const limits = { keptSessionBytesMax: 14, keptTenantBytesMax: 13 };
  const put = (key: string, value: string) =>
    putMemo(db, { sessionId, key, value, countMax: 10, bytesMax: 10_000, limits, entry });
  const note = (object: string) => {
    const digest = createHash('sha256').update(object).digest();
    return assertFact(db, { sessionId, subject: 's', predicate: 'pp', object, digest, countMax: 10, limits, entry });
  };
  const counted = async () => {
    const [row] = await db.sql`
      select s.bytes::int as session, t.kept_bytes::int as tenant
      from session_storage s join tenants t on t.tenant = s.tenant where s.session_id = ${sessionId}`;
    return [row?.session, row?.tenant];
  };
  await put('key', '"value"');
  expect(await counted()).toEqual([10, 10]);
  await put('key', '"v"');
  expect(await counted()).toEqual([6, 6]);
  expect([await note('"é"'), await note('"é"')]).toEqual(['asserted', 'known']);
  expect(await counted()).toEqual([13, 13]);
  await expect(put('key', '"va"')).rejects.toMatchObject({ slug: 'workspace-full' });
  await expect(note('1')).rejects.toMatchObject({ slug: 'workspace-full' });
  expect(await put('key', '""')).toBe(true);
  expect(await counted()).toEqual([12, 12]);
});
