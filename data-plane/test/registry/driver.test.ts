import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openDriver } from '../../src/registry/connections/open-driver.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';

let database: TestDatabase;
let sql: postgres.Sql;
beforeAll(async () => {
  database = await createTestDatabase({ template: 'template1' });
});
beforeEach(() => {
  sql = openDriver(database.address, { settings: {} });
});
afterEach(() => sql.end({ timeout: 0 }));
afterAll(() => database.drop());

test('a statement that fails after its first rows leaves no holes in the next result', async () => {
  await expect(sql`select 1 / (3 - i) as part from generate_series(1, 5) as i`).rejects.toThrow('division by zero');
  const [row] = await sql`select 'whole' as result`;
  expect(row).toEqual({ result: 'whole' });
});

test('a statement that cannot be built behind another one fails alone, and each statement gets its own answer', async () => {
  await sql`select 1`;
  const before = sql`select 'before' as statement`.execute();
  const unbuildable = sql`select ${undefined as never} as statement`.execute();
  const after = sql`select 'after' as statement`.execute();
  await expect(unbuildable).rejects.toMatchObject({ code: 'UNDEFINED_VALUE' });
  expect(await before).toEqual([{ statement: 'before' }]);
  expect(await after).toEqual([{ statement: 'after' }]);
});

test('a prepared statement that must be prepared again stores the same bytes', async () => {
  await sql`create table stored (bytes bytea, extra integer)`;
  const store = () => sql`insert into stored (bytes) values (${Buffer.from('bytes')}) returning *`;
  await store();
  await sql`alter table stored alter column extra type text`;
  const [again] = await store();
  expect(again).toEqual({ bytes: Buffer.from('bytes'), extra: null });
});

test('a statement of a transaction whose connection has closed is refused, and does not run in the next transaction', async () => {
  await sql`create table written (by text)`;
  const closed = Promise.withResolvers<void>();
  const { promise: late, resolve } = Promise.withResolvers<unknown>();
  const dead = sql.begin(async (tx) => {
    await tx`insert into written values ('the dead transaction')`;
    const [{ pid } = { pid: 0 }] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
    await database.db.sql`select pg_terminate_backend(${pid})`;
    await closed.promise;
    resolve(await tx`insert into written values ('the dead transaction')`.catch((error) => error));
  });
  await expect(dead).rejects.toThrow();
  await sql.begin(async (tx) => {
    await tx`insert into written values ('the next transaction')`;
    closed.resolve();
    expect(await late).toBeInstanceOf(Error);
  });
  expect(await sql`select by from written`).toEqual([{ by: 'the next transaction' }]);
});

test('a login that the server ends without a word fails the statement, after one attempt', async () => {
  let logins = 0;
  const server = createServer((socket: Socket) => {
    logins += 1;
    socket.once('data', () => socket.end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const refused = openDriver({ url: `postgres://me@127.0.0.1:${port}/any` }, { settings: {} });
  await expect(refused`select 1`).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
  expect(logins).toBe(1);
  server.close();
});

test.each(['idle', 'busy'])('ending a connection closes it, even if the server does not answer (%s)', async (state) => {
  await using proxy = await startPostgresProxy(database);
  const ended = Promise.withResolvers<void>();
  const connection = openDriver({ url: proxy.url }, { settings: {}, onclose: ended.resolve });
  await connection`select 1`;
  proxy.freeze();
  const unanswered = state === 'busy' ? connection`select 2`.catch(({ code }) => code) : 'nothing to answer';
  await connection.end({ timeout: 0 });
  await ended.promise;
  expect(await unanswered).toBe(state === 'busy' ? 'CONNECTION_DESTROYED' : 'nothing to answer');
});

test('a connection that ends before the driver knows the types of its server fails the statement, and not the process', async () => {
  const { host, port } = database.address as { host: string; port: number };
  const asked = Promise.withResolvers<void>();
  const network = createServer((client) => {
    const server = connect(`${host}/.s.PGSQL.${port}`);
    server.on('data', (bytes) => client.write(bytes));
    client.on('data', (bytes) => (bytes.includes('typarray') ? asked.resolve() : server.write(bytes)));
    client.on('close', () => server.destroy());
  }).listen(0, '127.0.0.1');
  await once(network, 'listening');
  const { user, password, database: name } = database.address as Record<'user' | 'password' | 'database', string>;
  const url = `postgres://${user}:${password}@127.0.0.1:${(network.address() as AddressInfo).port}/${name}`;
  const connection = openDriver({ url }, { settings: {} });
  const unanswered = connection`select 1`.catch(({ code }) => code);
  await asked.promise;
  const unhandled: unknown[] = [];
  const listeners = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', (error) => unhandled.push(error));
  try {
    await connection.end({ timeout: 0 });
    expect(await unanswered).toBe('CONNECTION_DESTROYED');
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  } finally {
    process.removeAllListeners('unhandledRejection');
    for (const listener of listeners) process.on('unhandledRejection', listener);
    network.close();
  }
});

test('the text of a failed statement is not kept', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const failLargely = (nth: number) =>
    expect(sql.unsafe(`select no_such_column /* ${'x'.repeat(1_000_000)} ${nth} */`)).rejects.toThrow('no_such_column');
  await failLargely(0);
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let nth = 1; nth <= 50; nth++) await failLargely(nth);
  collectGarbage();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(25_000_000);
});
