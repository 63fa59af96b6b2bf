import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { driverAddress, openDriver } from '../../src/registry/connections/open-driver.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';

let database: TestDatabase;
let sql: postgres.Sql;
beforeAll(async () => {
  database = await createTestDatabase({ template: 'template1' });
});
beforeEach(() => {
  sql = openDriver(driverAddress(database.address), { settings: {} });
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

test('a statement is prepared once for its text and the types of its parameters', async () => {
  const texts = ['select $1 as value, 0 as one', 'select $1 as value, 1 as one'];
  const values = ['text', true, new Date(0)];
  const connection = await sql.reserve();
  for (let time = 0; time < 3; time++) {
    for (const [one, text] of texts.entries()) {
      for (const value of values) {
        const [row] = await connection.unsafe(text, [value], { prepare: true });
        expect(row).toEqual({ value, one });
      }
    }
  }
  const [prepared] = await connection.unsafe(
    "select count(*)::int as count from pg_prepared_statements where statement like 'select $1 as value%'",
  );
  connection.release();
  expect(prepared).toEqual({ count: texts.length * values.length });
});

test('texts of any length and alphabet arrive as they are, beside each other', async () => {
  for (let length = 230; length < 270; length++) {
    const [latin, wide] = ['a'.repeat(length), '\u{1f600}é'.repeat(length)];
    expect(await sql`select ${latin}::text as latin, ${null}::text as none, ${wide}::text as wide`).toEqual([
      { latin, none: null, wide },
    ]);
  }
});

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const large = Buffer.concat(Array.from({ length: 65_536 }, () => everyByte));

test.each([
  ['no bytes', Buffer.alloc(0)],
  ['every value of a byte', everyByte],
  ['a view into larger memory', large.subarray(300, 40_000)],
  ['an array of bytes that is no Buffer', new Uint8Array(everyByte)],
  ['16 MiB', large],
  ['null', null],
])('stores %s as they are, again and again, beside values of other types', async (_, bytes) => {
  for (let time = 0; time < 3; time++) {
    const [row] = await sql`
      select ${bytes}::bytea as bytes, octet_length(${bytes}::bytea) as length, ${'behind'}::text as text, ${7}::int as number`;
    expect(row).toMatchObject({ length: bytes?.length ?? null, text: 'behind', number: 7 });
    expect(bytes === null ? row?.bytes === null : row?.bytes.equals(bytes)).toBe(true);
  }
});

test.each([
  ['no parts', []],
  ['small parts', [everyByte, Buffer.alloc(0), everyByte.subarray(10, 20)]],
  ['large parts', [large.subarray(0, 16_384), large.subarray(0, 100_000), large.subarray(7)]],
  ['a large part between small ones', [everyByte, large, everyByte]],
])('stores bytes in %s as one value', async (_, parts) => {
  const whole = Buffer.concat(parts);
  for (let time = 0; time < 3; time++) {
    const text = 'select $1::bytea as bytes, $2::text as text, $3::bytea as more';
    const [row] = await sql.unsafe(text, [parts as never, 'between', everyByte], { prepare: true });
    expect(row?.bytes.equals(whole)).toBe(true);
    expect(row).toMatchObject({ text: 'between', more: everyByte });
  }
});

test('statements behind one with large bytes, and behind one that could not be built, get their own answers', async () => {
  const lengths = Array.from({ length: 20 }, (_, i) => (i % 3 === 0 ? 200_000 + i : i));
  const wrong = {
    toString: () => {
      throw new Error('no text');
    },
  };
  const answers = lengths.map(async (length) => {
    const failing = sql`select ${large.subarray(0, 20_000)}::bytea, ${wrong as never}::text`.catch((error) => error);
    const [row] = await sql`select octet_length(${large.subarray(0, length)}) as length, ${length}::int as asked`;
    expect(await failing).toMatchObject({ message: 'no text' });
    return row;
  });
  expect(await Promise.all(answers)).toEqual(lengths.map((length) => ({ length, asked: length })));
});

test('statements that begin together are sent by one write, in the turn of the event loop in which they begin', async () => {
  const sockets: Socket[] = [];
  const onSocket = (message: unknown) => sockets.push((message as { socket: Socket }).socket);
  subscribe('net.client.socket', onSocket);
  const connection = await sql.reserve();
  unsubscribe('net.client.socket', onSocket);
  const ask = () => [1, 2].map((value) => connection`select ${value}::int as value`.execute());
  await Promise.all(ask());
  const [socket] = sockets as [Socket];
  let writes = 0;
  const write = socket.write.bind(socket);
  socket.write = ((...given: Parameters<Socket['write']>) => {
    writes += 1;
    return write(...given);
  }) as Socket['write'];
  // This one is called before any other that the driver sets.
  const writesInTurn = new Promise<number>((resolve) => setImmediate(() => resolve(writes)));
  const answers = ask();
  expect(await writesInTurn).toBe(1);
  expect(await Promise.all(answers)).toEqual([[{ value: 1 }], [{ value: 2 }]]);
  expect(writes).toBe(1);
  connection.release();
});

test('a result has its rows as elements, and nothing else that could be counted or compared', async () => {
  const rows = await sql`select generate_series(1, 2) as value`;
  expect([rows.count, rows.command, rows.columns.map(({ name }) => name)]).toEqual([2, 'SELECT', ['value']]);
  expect(Object.keys(rows)).toEqual(['0', '1']);
  expect(rows.map(({ value }) => value)).toStrictEqual([1, 2]);
});

test('bytes are sent as they are, and not as a text that is twice as long', async () => {
  await using proxy = await startPostgresProxy(database);
  await using stack = new AsyncDisposableStack();
  const proxied = stack.adopt(openDriver(driverAddress({ url: proxy.url }), { settings: {} }), (driver) =>
    driver.end(),
  );
  await proxied`select 1`;
  const before = proxy.sentBytes;
  await proxied`select octet_length(${large.subarray(0, 1_000_000)})`;
  expect(proxy.sentBytes - before).toBeLessThan(1_001_000);
});

test('an array of bytes with its own type stays an array', async () => {
  const [row] = await sql`select array_length(${sql.array([everyByte, everyByte], 1001)}, 1) as length`;
  expect(row).toEqual({ length: 2 });
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

test('a statement that follows at once on one that failed with a reset of the connection is refused, too', async () => {
  await using proxy = await startPostgresProxy(database);
  const connection = openDriver(driverAddress({ url: proxy.url }), { settings: {} });
  await connection`select 1`;
  const codes: string[] = [];
  const refused = (error: { code: string }) => codes.push(error.code);
  const both = connection`select pg_sleep(60)`.catch(refused).then(() => connection`select 2`.catch(refused));
  await eventually(async () => expect(await running('pg_sleep')).toBe(1));
  proxy.reset();
  await both;
  expect(codes).toEqual(['ECONNRESET', 'CONNECTION_CLOSED']);
  await connection.end({ timeout: 0 });
});

/** The number of statements with this text that run in the test's database. */
async function running(text: string): Promise<number> {
  const rows = await database.db.sql`
    select from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and state = 'active' and query like ${`%${text}%`}`;
  return rows.length;
}

test('a login that the server ends without a word fails the statement, after one attempt', async () => {
  let logins = 0;
  const server = createServer((socket: Socket) => {
    logins += 1;
    socket.once('data', () => socket.end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const refused = openDriver(driverAddress({ url: `postgres://me@127.0.0.1:${port}/any` }), { settings: {} });
  await expect(refused`select 1`).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
  expect(logins).toBe(1);
  server.close();
});

test('a login that breaks off while the driver asks for the types of arrays fails the statement, and nothing else', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on('unhandledRejection', note);
  await using proxy = await startPostgresProxy(database);
  proxy.cutAt('pg_catalog.pg_type');
  const connection = openDriver(driverAddress({ url: proxy.url }), { settings: {} });
  await expect(connection`select 1`).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
  await connection.end({ timeout: 0 });
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

test.each(['idle', 'busy'])('ending a connection closes it, even if the server does not answer (%s)', async (state) => {
  await using proxy = await startPostgresProxy(database);
  const ended = Promise.withResolvers<void>();
  const connection = openDriver(driverAddress({ url: proxy.url }), { settings: {}, onclose: ended.resolve });
  await connection`select 1`;
  proxy.freeze();
  const unanswered = state === 'busy' ? connection`select 2`.catch(({ code }) => code) : 'nothing to answer';
  await connection.end({ timeout: 0 });
  await ended.promise;
  expect(await unanswered).toBe(state === 'busy' ? 'CONNECTION_DESTROYED' : 'nothing to answer');
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
