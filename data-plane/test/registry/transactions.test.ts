import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertContent } from '../../src/registry/contents/insert-content.ts';
import { databaseUnavailable } from '../../src/registry/database-error.ts';
import { storeDevelopmentKey } from '../../src/registry/development-keys/store-development-key.ts';
import type { Queries } from '../../src/registry/queries.ts';
import { registerReplica } from '../../src/registry/replicas/register-replica.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** One operation that goes through drizzle and one that goes through postgres.js. */
async function writeBoth(queries: Queries, id: string): Promise<void> {
  await insertContent(queries, { id, store: 'postgres' });
  await storeDevelopmentKey(queries, { name: id, value: id });
}

/** The rows that exist under this id, of the two. */
async function written({ sql }: Queries, id: string): Promise<string[]> {
  const rows = await sql<{ found: string }[]>`
    select 'content' as found from contents where id = ${id}
    union all select 'key' from development_keys where name = ${id}`;
  return rows.map(({ found }) => found);
}

test('a transaction rolls a drizzle operation and a postgres.js operation back together', async () => {
  const { db } = database;
  const failed = db.transaction(async (tx) => {
    await writeBoth(tx, 'rolled-back');
    expect(await written(tx, 'rolled-back')).toEqual(['content', 'key']);
    expect(await written(db, 'rolled-back')).toEqual([]);
    throw new Error('changed its mind');
  });
  await expect(failed).rejects.toThrow('changed its mind');
  expect(await written(db, 'rolled-back')).toEqual([]);
});

test('a transaction commits a drizzle operation and a postgres.js operation together, and returns the result', async () => {
  const { db } = database;
  const result = await db.transaction(async (tx) => {
    await writeBoth(tx, 'committed');
    return ['a', 'list'];
  });
  expect(result).toEqual(['a', 'list']);
  expect(await written(db, 'committed')).toEqual(['content', 'key']);
});

test('a failed statement rolls the transaction back, even if its error was caught', async () => {
  const { db } = database;
  const failed = db.transaction(async (tx) => {
    await writeBoth(tx, 'caught');
    await insertContent(tx, { id: 'caught', store: 'postgres' }).catch(() => {});
  });
  await expect(failed).rejects.toThrow();
  expect(await written(db, 'caught')).toEqual([]);
});

test('a failed nested transaction rolls back its own writes on both sides, and the outer one continues', async () => {
  const { db } = database;
  await db.transaction(async (tx) => {
    await writeBoth(tx, 'outer');
    const nested = tx.transaction(async (inner) => {
      await writeBoth(inner, 'nested');
      await insertContent(inner, { id: 'nested', store: 'postgres' });
    });
    await expect(nested).rejects.toThrow();
    // An operation that has a transaction of its own joins the one that it is given.
    await registerReplica(tx, { id: 'rep_joined', slot: 'joined' });
  });
  expect(await written(db, 'outer')).toEqual(['content', 'key']);
  expect(await written(db, 'nested')).toEqual([]);
  expect(await db.sql`select id from replicas where slot = 'joined'`).toEqual([{ id: 'rep_joined' }]);
});

test('an operation with a transaction of its own is rolled back with the one that it is given', async () => {
  const { db } = database;
  const failed = db.transaction(async (tx) => {
    await registerReplica(tx, { id: 'rep_gone', slot: 'gone' });
    throw new Error('changed its mind');
  });
  await expect(failed).rejects.toThrow('changed its mind');
  expect(await db.sql`select id from replicas where slot = 'gone'`).toEqual([]);
});

test('both sides of the pool and of a transaction read the same times, arrays and JSON', async () => {
  const { db } = database;
  const read = async ({ sql, orm }: Queries) => {
    const [lean] =
      await sql`select ${new Date(0)}::timestamptz as time, ${['a', 'b']}::text[] as list, '{"a":1}'::jsonb as json`;
    const [typed] = await orm.execute(
      `select 'epoch'::timestamptz as time, '{a,b}'::text[] as list, '{"a":1}'::jsonb as json`,
    );
    return [lean, typed];
  };
  const expected = { time: new Date(0), list: ['a', 'b'], json: { a: 1 } };
  expect(await read(db)).toEqual([expected, expected]);
  expect(await db.transaction(read)).toEqual([expected, expected]);
  expect(await read(db)).toEqual([expected, expected]);
});

test.each(['orm', 'sql'] as const)(
  'a transaction that outlives its connection fails and writes nothing afterwards (%s)',
  async (side) => {
    const { db } = database;
    const id = `outlived-${side}`;
    const late = Promise.withResolvers<unknown>();
    const failed = db.transaction(async (tx) => {
      await insertContent(tx, { id, store: 'postgres' });
      const [{ pid } = { pid: 0 }] = await tx.sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
      await terminate(pid);
      await eventually(async () => expect(await isConnected(pid)).toBe(false));
      const write =
        side === 'sql'
          ? storeDevelopmentKey(tx, { name: id, value: id })
          : insertContent(tx, { id: `${id}-2`, store: 'postgres' });
      late.resolve(await write.catch((error) => error));
    });
    await expect(failed).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    expect(await late.promise).toBeInstanceOf(Error);
    expect(await written(db, id)).toEqual([]);
  },
);

// The driver would send a rollback to the closed socket, outside of any promise: an uncaught error fails this whole file.
test.each(['outer', 'nested'])(
  'a statement that loses its connection fails the transaction and nothing else (%s)',
  async (depth) => {
    const { db } = database;
    const id = `interrupted-${depth}`;
    const interrupt = async (tx: Queries) => {
      await writeBoth(tx, id);
      const [{ pid } = { pid: 0 }] = await tx.sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
      await Promise.all([tx.sql`select pg_sleep(20)`, terminate(pid)]);
    };
    const failed = db.transaction((tx) => (depth === 'outer' ? interrupt(tx) : tx.transaction(interrupt)));
    expect(databaseUnavailable(await failed.catch((error) => error))).toBe(true);
    expect(await written(db, id)).toEqual([]);
  },
);

async function isConnected(pid: number): Promise<boolean> {
  return (await database.db.sql`select from pg_stat_activity where pid = ${pid}`).count > 0;
}

async function terminate(pid: number): Promise<void> {
  const killer = database.db.connectAlone();
  await killer`select pg_terminate_backend(${pid})`.finally(() => killer.end());
}

test('statements that are sent together commit together, and their rows are known before', async () => {
  const { db } = database;
  const early = Promise.withResolvers<unknown>();
  const rows = await db.together<[{ name: string }[], null]>(
    (sql) => [sql`insert into development_keys (name, value) values ('both', '1') returning name`, null],
    early.resolve,
  );
  expect(rows).toEqual([[{ name: 'both' }], null]);
  expect(await early.promise).toEqual(rows);
  expect(await written(db, 'both')).toEqual(['key']);
});

test.for([
  ['refuses', 'insert into development_keys (name) values ($1)', 'value'],
  ['cannot parse', 'insert into nowhere values ($1)', 'value'],
] as const)('statements that are sent together leave nothing if the server %s one of them', async ([, text, value]) => {
  const { db } = database;
  const failed = db.together((sql) => [
    sql`insert into development_keys (name, value) values ('half', '1')`,
    sql.unsafe(text, [value]),
  ]);
  await expect(failed).rejects.toThrow();
  expect(await written(db, 'half')).toEqual([]);
});

test('statements that are sent together leave nothing if the driver cannot send one of them', async () => {
  const { db } = database;
  const failed = db.together((sql) => [
    sql`insert into development_keys (name, value) values ('half', '1')`,
    sql`insert into development_keys (name, value) values ('other', ${undefined as unknown as string})`,
  ]);
  await expect(failed).rejects.toThrow('UNDEFINED_VALUE');
  expect(await written(db, 'half')).toEqual([]);
  await db.transaction((tx) => writeBoth(tx, 'afterwards'));
  expect(await written(db, 'afterwards')).toEqual(['content', 'key']);
});

test('statements sent together within a transaction are rolled back with it', async () => {
  const { db } = database;
  const failed = db.transaction(async (tx) => {
    await tx.together((sql) => [sql`insert into development_keys (name, value) values ('inner', '1')`]);
    expect(await written(tx, 'inner')).toEqual(['key']);
    throw new Error('changed its mind');
  });
  await expect(failed).rejects.toThrow('changed its mind');
  expect(await written(db, 'inner')).toEqual([]);
});
