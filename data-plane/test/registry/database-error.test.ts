import { Problem } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase } from '../../src/registry/connect.ts';
import { translateDatabaseError } from '../../src/registry/database-error.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ template: 'template1', poolMax: 1 });
});
afterAll(() => database.drop());

const thrown = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error,
  );

/** As every layer sees it: from the driver, from drizzle around it, and out of a transaction. */
const ways = (statement: string): [string, () => Promise<unknown>][] => [
  ['the driver', async () => await database.db.sql.unsafe(statement)],
  ['drizzle', async () => await database.db.orm.execute(statement)],
  ['a transaction', () => database.db.transaction(async ({ sql }) => await sql.unsafe(statement))],
];

const raise = (state: string) => `do $$ begin raise exception 'injected' using errcode = '${state}'; end $$`;

test.each([
  '08006',
  '25006',
  '28000',
  '40001',
  '40P01',
  '42501',
  '53100',
  '55P03',
  '57014',
  '58030',
  'F0000',
  'XX000',
  'ZZ999',
])('SQLSTATE %s is an outage: the caller is told to come again', async (state) => {
  for (const [way, run] of ways(raise(state))) {
    const error = await thrown(run());
    const problem = { slug: 'database-unavailable', options: { retryAfterSeconds: 2, cause: error } };
    expect(translateDatabaseError(error), way).toMatchObject(problem);
  }
});

test.each(['21000', '22003', '23505', '42601', '42703', '42P01', '54000'])(
  'SQLSTATE %s blames the statement, so it stays an error of ours',
  async (state) => {
    for (const [way, run] of ways(raise(state))) {
      const error = await thrown(run());
      expect(error, way).toBeInstanceOf(Error);
      expect(translateDatabaseError(error), way).toBe(error);
    }
  },
);

test('a refused login is an outage', async () => {
  const { db } = database;
  const [{ current: name } = { current: '' }] = await db.sql<
    { current: string }[]
  >`select current_database() as current`;
  const stranger = connectDatabase({
    ...database.address,
    user: 'nobody-of-that-name',
    database: name,
    poolMax: 1,
  } as never);
  const error = await thrown(stranger.sql`select 1`);
  await stranger.close();
  expect(error).toMatchObject({ severity: 'FATAL', code: expect.stringMatching(/^28/) });
  expect(translateDatabaseError(error)).toMatchObject({ slug: 'database-unavailable' });
});

test('does not take a statement that the driver cannot encode, a fault of ours or a problem for an outage', async () => {
  const late = await thrown(database.db.sql`select ${new Date(Number.NaN)}::timestamptz`);
  const missing = await thrown(database.db.sql`select ${undefined as never}::int`);
  for (const error of [late, missing, new TypeError('a fault'), new Problem('not-found')])
    expect(translateDatabaseError(error)).toBe(error);
});
