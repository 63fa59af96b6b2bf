import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseUnavailable } from '../../src/registry/database-error.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('a statement of the pool has a time limit, and one on a separate connection has none', async () => {
  const alone = database.db.connectAlone();
  const [pooled] = await database.db.sql`show statement_timeout`;
  const [unlimited] = await alone`show statement_timeout`;
  await alone.end();
  expect([pooled, unlimited]).toEqual([{ statement_timeout: '30s' }, { statement_timeout: '0' }]);
});

test('a statement that exceeds its time limit counts as an unavailable database', async () => {
  const slow = database.db.transaction(async ({ sql }) => {
    await sql`set local statement_timeout = '10ms'`;
    await sql`select pg_sleep(5)`;
  });
  expect(databaseUnavailable(await slow.catch((error) => error))).toBe(true);
});

test('after a connection ends unexpectedly, new statements use a new pool and running ones finish', async () => {
  const { db } = database;
  const before = db.sql;
  const slow = before`select pg_sleep(1), 'finished' as outcome`.execute();
  const [idle] = await before<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const killer = db.connectAlone();
  await killer`select pg_terminate_backend(${idle?.pid ?? 0})`;
  await killer.end();
  await eventually(() => expect(db.sql).not.toBe(before));
  expect(await db.sql`select 1 as one`).toEqual([{ one: 1 }]);
  expect(await slow).toMatchObject([{ outcome: 'finished' }]);
});
