import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase, type Database } from '../../src/registry/connect.ts';
import { databaseUnavailable } from '../../src/registry/database-error.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** A database handle of the test's own, through a network with faults. */
async function connectThroughProxy({ poolMax = 3, statementSeconds = 30 } = {}) {
  const proxy = await startPostgresProxy(database);
  const db = connectDatabase({ url: proxy.url, poolMax, statementSeconds });
  return {
    proxy,
    db,
    async [Symbol.asyncDispose]() {
      await db.close();
      await proxy[Symbol.asyncDispose]();
    },
  };
}

/** The backends of this many connections that work at the same time. */
async function pidsOf(db: Database, count: number): Promise<number[]> {
  const pids: number[] = [];
  const all = Promise.withResolvers<void>();
  const hold = () =>
    db.transaction(async ({ sql }) => {
      const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
      if (row && pids.push(row.pid) === count) all.resolve();
      await all.promise;
    });
  await Promise.all(Array.from({ length: count }, hold));
  return pids.toSorted();
}

async function terminate(pid: number | undefined): Promise<void> {
  const rows = await database.db.sql`select pg_terminate_backend(${pid ?? 0}) as terminated`;
  expect(rows).toEqual([{ terminated: true }]);
}

const codeOf = (outcome: Promise<unknown>) => outcome.then(() => 'done').catch(({ code }) => code);

test('a statement has a time limit, and one on a separate connection has a long one', async () => {
  const alone = database.db.connectAlone();
  const [usual] = await database.db.sql`show statement_timeout`;
  const [separate] = await alone`show statement_timeout`;
  await alone.end();
  expect([usual, separate]).toEqual([{ statement_timeout: '30s' }, { statement_timeout: '15min' }]);
});

test('a statement that exceeds its time limit counts as an unavailable database', async () => {
  const slow = database.db.transaction(async ({ sql }) => {
    await sql`set local statement_timeout = '10ms'`;
    await sql`select pg_sleep(5)`;
  });
  expect(databaseUnavailable(await slow.catch((error) => error))).toBe(true);
});

test('writes are durable whatever the default of the database is, and lazy only if asked for', async () => {
  await using own = await disposableDatabase();
  await own.db.sql.unsafe(`alter database ${own.name} set synchronous_commit = 'off'`);
  const commits = async (commit?: 'lazy') => {
    const db = connectDatabase({ ...own.address, poolMax: 1, commit });
    return await db.sql`show synchronous_commit`.finally(db.close);
  };
  expect(await commits()).toEqual([{ synchronous_commit: 'on' }]);
  expect(await commits('lazy')).toEqual([{ synchronous_commit: 'off' }]);
});

async function disposableDatabase() {
  const created = await createTestDatabase({ template: 'template1' });
  const [row] = await created.db.sql<{ name: string }[]>`select current_database() as name`;
  return { ...created, name: row?.name ?? '', [Symbol.asyncDispose]: created.drop };
}

test('a connection that ends unexpectedly is replaced, and all others stay with what they run', async () => {
  await using given = await connectThroughProxy();
  const { db } = given;
  const before = await pidsOf(db, 3);
  await db.transaction(async ({ sql }) => {
    const [held] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    const other = before.find((pid) => pid !== held?.pid);
    await terminate(other);
    await eventually(() => expect(given.proxy.open).toBe(2));
    const left = before.filter((pid) => pid !== other);
    expect(await sql`select pg_backend_pid() as pid`).toEqual([held]);
    expect(left).toContain(held?.pid);
  });
  const after = await pidsOf(db, 3);
  expect(before.filter((pid) => after.includes(pid))).toHaveLength(2);
});

test('a statement that fails with a reset of its connection can be repeated at once, on another connection', async () => {
  await using given = await connectThroughProxy({ poolMax: 1 });
  const { db, proxy } = given;
  const [before = 0] = await pidsOf(db, 1);
  const repeated = db.sql`select pg_sleep(60)`.catch(() => db.sql<{ pid: number }[]>`select pg_backend_pid() as pid`);
  await eventually(async () => {
    const [row] = await database.db.sql`select query from pg_stat_activity where pid = ${before}`;
    expect(row?.query).toContain('pg_sleep');
  });
  proxy.reset();
  expect(await repeated).not.toEqual([{ pid: before }]);
});

test('while new connections are refused, the open ones stay and serve everything that asks', async () => {
  await using given = await connectThroughProxy();
  const { db, proxy } = given;
  const before = await pidsOf(db, 2);
  proxy.refuse();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => db.sql<{ pid: number }[]>`select pg_backend_pid() as pid`),
  );
  expect(answers.filter(([row]) => !before.includes(row?.pid ?? 0))).toEqual([]);
  await proxy.accept();
  const after = await pidsOf(db, 3);
  expect(before.filter((pid) => after.includes(pid))).toEqual(before);
});

test('if no connection can be opened at all, statements fail at once with the cause', async () => {
  await using given = await connectThroughProxy();
  given.proxy.refuse();
  expect(await codeOf(given.db.sql`select 1`)).toBe('ECONNREFUSED');
  await given.proxy.accept();
  expect(await codeOf(given.db.sql`select 1`)).toBe('done');
});

test('a statement on a connection that was cut without a word fails at its time limit, and the connection is given up', async () => {
  await using given = await connectThroughProxy({ poolMax: 2, statementSeconds: 1 });
  const { db, proxy } = given;
  await db.sql`select 1`;
  proxy.freezeOpen();
  expect(await codeOf(db.sql`select 2`)).toBe('STATEMENT_UNANSWERED');
  proxy.thaw();
  await eventually(() => expect(proxy.open).toBe(1));
  expect(await codeOf(db.sql`select 3`)).toBe('done');
});

test('a transaction has the time limit of a statement as a whole', async () => {
  await using given = await connectThroughProxy({ statementSeconds: 1 });
  const idle = given.db.transaction(() => new Promise(() => {}));
  expect(databaseUnavailable(await idle.catch((error) => error))).toBe(true);
});

test('a statement that gets no connection in time fails, and the ones that have one go on', async () => {
  await using given = await connectThroughProxy({ poolMax: 1, statementSeconds: 1 });
  const { db } = given;
  const asked = Promise.withResolvers<void>();
  const holding = db.transaction(async ({ sql }) => {
    await asked.promise;
    return await sql`select 'held' as outcome`;
  });
  const late = codeOf(db.sql`select 1`);
  // A probe of the silence uses a connection of its own, so the database does not seem silent.
  expect(await late).toBe('CONNECTIONS_BUSY');
  asked.resolve();
  expect(await holding).toEqual([{ outcome: 'held' }]);
});

test('a silent database is away: what waits fails, what comes is refused, and nothing piles up', async () => {
  await using given = await connectThroughProxy();
  const { db, proxy } = given;
  await pidsOf(db, 3);
  proxy.freeze();
  const inFlight = [1, 2, 3].map(() => codeOf(db.sql`select 1`));
  const inTransaction = codeOf(db.transaction(({ sql }) => sql`select 2`));
  const waiting = [1, 2, 3].map(() => codeOf(db.sql`select 3`));
  expect(await Promise.all(waiting)).toEqual(Array(3).fill('DATABASE_SILENT'));
  const opened = proxy.opened;
  const later = await Promise.all(Array.from({ length: 1000 }, () => codeOf(db.sql`select 4`)));
  expect(new Set(later)).toEqual(new Set(['DATABASE_SILENT']));
  expect(await Promise.all([...inFlight, inTransaction])).toEqual(Array(4).fill('DATABASE_SILENT'));
  expect(proxy.opened).toBe(opened);
});

test('a database that answers again after a silence serves again, on new connections', async () => {
  await using given = await connectThroughProxy();
  const { db, proxy } = given;
  const before = await pidsOf(db, 3);
  proxy.freeze();
  expect(await codeOf(db.sql`select 1`)).toBe('DATABASE_SILENT');
  proxy.thaw();
  await eventually(() => db.sql`select 1`);
  const after = await pidsOf(db, 3);
  expect(before.filter((pid) => after.includes(pid))).toEqual([]);
});

test('a slow statement does not count as silence', async () => {
  await using given = await connectThroughProxy({ poolMax: 1 });
  const [slow] = await given.db.sql`select pg_sleep(4), 'finished' as outcome`;
  expect(slow).toMatchObject({ outcome: 'finished' });
  // The probe has a connection of its own.
  expect(given.proxy.opened).toBe(2);
});

test('closing ends every connection, also while the database is silent', async () => {
  await using given = await connectThroughProxy();
  const { db, proxy } = given;
  await pidsOf(db, 3);
  proxy.freeze();
  const unanswered = codeOf(db.sql`select 1`);
  await db.close();
  expect(await unanswered).toMatch(/CONNECTION_ENDED|DATABASE_SILENT/);
  proxy.thaw();
  await eventually(() => expect(proxy.open).toBe(0));
  expect(await codeOf(db.sql`select 1`)).toBe('CONNECTION_ENDED');
});
