import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Queries } from '../../src/registry/queries.ts';
import { createSessionWatches } from '../../src/sharing/session-watches.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession } from '../support/registry-rows.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** The database, with a count of the statements and of the sessions that each asked for. */
function counted() {
  const asked: string[][] = [];
  const { sql } = database.db;
  const unsafe = (text: string, values: [string[], ...never[]], options: { prepare: boolean }) => {
    asked.push(values[0]);
    return sql.unsafe(text, values, options);
  };
  return { db: { ...database.db, sql: { unsafe } } as unknown as Queries, asked };
}

const bump = (id: string) => database.db.sql`update sessions set step_count = step_count + 1 where id = ${id}`;

test('one statement reads all watched sessions, and none is sent when there are none', async () => {
  const { db, asked } = counted();
  const watches = createSessionWatches({ db });
  const ids = await Promise.all([1, 2, 3].map(async () => (await activeSession(database.db)).id));
  for (const id of ids) watches.hint(id);
  expect(asked).toEqual([]);
  const leave = new AbortController();
  const all = await Promise.all(ids.map((id) => watches.watch(id, leave.signal)));
  await eventually(() => expect(asked.at(-1)?.toSorted()).toEqual(ids.toSorted()));
  for (const id of ids) await bump(id);
  await eventually(() => expect(all.map(({ marks }) => marks?.stepCount)).toEqual([1, 1, 1]));
  leave.abort();
  const { id: nextId } = await activeSession(database.db);
  const next = new AbortController();
  await watches.watch(nextId, next.signal);
  await eventually(() => expect(asked.at(-2)).toEqual([nextId]));
  next.abort();
});

test('a reader hears of a step of its own replica without waiting for the next poll, and of a session that is gone', async () => {
  const { db } = counted();
  const watches = createSessionWatches({ db });
  const { id } = await activeSession(database.db);
  const leave = new AbortController();
  const watch = await watches.watch(id, leave.signal);
  let calls = 0;
  watch.subscribe(() => {
    calls += 1;
  });
  await bump(id);
  watches.hint(id);
  await eventually(() => expect([watch.marks?.stepCount, calls]).toEqual([1, 1]));
  await database.db.sql`delete from sessions where id = ${id}`;
  await eventually(() => expect([watch.marks, calls]).toEqual([null, 2]));
  leave.abort();
});
