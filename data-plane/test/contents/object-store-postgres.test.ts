import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPostgresStore } from '../../src/contents/postgres-store.ts';
import { connectDatabase, type Database } from '../../src/registry/connect.ts';
import { insertContent } from '../../src/registry/contents/insert-content.ts';
import { chunksOf, readAll, someBytes } from '../support/byte-source.ts';
import { objectStoreConformance, type StoreUnderTest } from '../support/object-store-conformance.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
let piecesDb: Database;
let under: StoreUnderTest;
beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  piecesDb = connectDatabase({ ...database.address, poolMax: 2, commit: 'lazy' });
  under = {
    store: createPostgresStore({ db: piecesDb }),
    announce: (id) => insertContent(db, { id, store: 'postgres' }),
    async leftovers(wholeKeys) {
      const [row] = await db.sql`
        select count(*)::int as count from content_pieces p join contents c on c.id = p.content_id
        where c.id in (select id from contents order by id desc limit 1) and c.id <> all(${[...wholeKeys]}::text[])`;
      return row?.count;
    },
  };
});
afterAll(async () => {
  await piecesDb.close();
  await database.drop();
});

describe('objects in Postgres', () => {
  objectStoreConformance(() => under);

  test('rejects an object whose key has no row in the registry', async () => {
    await expect(under.store.put(newId('obj'), chunksOf(someBytes(10, 'stray')))).rejects.toThrow();
  });

  test('a put fails if Postgres ends its connection, and the store works afterwards', async () => {
    const { db } = database;
    const key = newId('obj');
    await under.announce(key);
    async function* source() {
      yield* chunksOf(someBytes(2 * 1024 * 1024, 'ended'));
      await db.sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`;
      yield* chunksOf(someBytes(2 * 1024 * 1024, 'ended'));
    }
    await under.store.put(key, source()).catch(() => {});
    const next = newId('obj');
    await under.announce(next);
    await under.store.put(next, chunksOf(someBytes(1000, 'after')));
    expect((await readAll(under.store.get(next, { start: 0, end: 1000 }))).equals(someBytes(1000, 'after'))).toBe(true);
  });
});
