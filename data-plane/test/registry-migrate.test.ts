import { afterEach, expect, test } from 'vitest';
import { connectDatabase } from '../src/registry/connect.ts';
import { migrate } from '../src/registry/migrate.ts';
import { createTestDatabase, type TestDatabase } from './postgres.ts';

let database: TestDatabase | undefined;
afterEach(() => database?.drop());

test('four replicas that start at once on an empty database all succeed and the migrations run once', async () => {
  database = await createTestDatabase({ template: 'template1' });
  const { address } = database;
  const replicas = [1, 2, 3, 4].map(() => connectDatabase({ ...address, poolMax: 1 }));
  const outcomes = await Promise.allSettled(replicas.map(migrate));
  await Promise.all(replicas.map((replica) => replica.close()));
  expect(outcomes.map(({ status }) => status)).toEqual(Array(4).fill('fulfilled'));
  const [row] = await database.db.sql`select count(*)::int as applied, count(distinct hash)::int as distinct
    from drizzle.__drizzle_migrations`;
  expect(row?.applied).toBe(row?.distinct);
});

test('a pool reads and takes times as dates, through drizzle and through the driver', async () => {
  database = await createTestDatabase();
  const [row] = await database.db.sql`select ${new Date(0)}::timestamptz as time`;
  expect(row?.time).toEqual(new Date(0));
});
