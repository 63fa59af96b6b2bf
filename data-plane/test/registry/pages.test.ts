import type { ListOrder } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listSessions } from '../../src/registry/sessions/list-sessions.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession } from '../support/registry-rows.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test.each<ListOrder>(['asc', 'desc'])(
  'pages of sessions in the order %s have each earlier session once while others are created',
  async (order) => {
    const { db } = database;
    const { tenant } = await activeSession(db);
    const before = await Promise.all(Array.from({ length: 12 }, () => activeSession(db)));
    // All of one millisecond, so that the ids decide.
    await db.sql`update sessions set created_at = '2026-01-02T00:00:00Z' where id = any(${before.slice(3).map(({ id }) => id)})`;
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const creating = Promise.all([activeSession(db), activeSession(db)]);
      const { items, nextCursor } = await listSessions(db, { tenant, order, limit: 3, ...(cursor && { cursor }) });
      seen.push(...items.map(({ id }) => id));
      await creating;
      cursor = seen.length < 60 ? (nextCursor ?? undefined) : undefined;
    } while (cursor);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(before.map(({ id }) => id)));
  },
);
