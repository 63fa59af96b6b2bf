import { readFile } from 'node:fs/promises';
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api';
import { afterEach, expect, test } from 'vitest';
import { connectDatabase } from '../src/registry/connect.ts';
import { migrate } from '../src/registry/migrate.ts';
import * as schema from '../src/registry/schema.ts';
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

test('the migrations make what the schema says, to the last column', async () => {
  const latest = new URL('../migrations/meta/', import.meta.url);
  const journal = JSON.parse(await readFile(new URL('_journal.json', latest), 'utf8'));
  const name = `${String(journal.entries.length - 1).padStart(4, '0')}_snapshot.json`;
  const migrated = JSON.parse(await readFile(new URL(name, latest), 'utf8'));
  expect(await generateMigration(migrated, generateDrizzleJson(schema, migrated.id))).toEqual([]);
});

test('a URL reaches a Unix socket as well', async () => {
  database = await createTestDatabase();
  const db = connectDatabase({ url: database.url, poolMax: 1 });
  const rows = await db.sql`select current_user as name`.finally(db.close);
  expect(rows).toMatchObject([{ name: 'holdfast' }]);
});

test('a pool reads and takes times as dates, through drizzle and through the driver', async () => {
  database = await createTestDatabase();
  const [row] = await database.db.sql`select ${new Date(0)}::timestamptz as time`;
  expect(row?.time).toEqual(new Date(0));
});
