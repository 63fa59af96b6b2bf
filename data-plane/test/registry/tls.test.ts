import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectDatabase, type Database } from '../../src/registry/connect.ts';
import { databaseUntrusted } from '../../src/registry/database-error.ts';
import { startFailure } from '../../src/start/start-failure.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { startHoldfast, temporaryDataDir } from '../support/start-holdfast.ts';
import { startRecorder, tlsRequest } from '../support/start-recorder.ts';
import { hasOpenssl, startTlsPostgres, type TlsPostgres } from '../support/start-tls-postgres.ts';

/** A record of a handshake, in any version of TLS. */
const handshake = Buffer.from([0x16, 0x03]);

/** Each connection asked for TLS, and what followed was TLS from its first byte. A connection may be new, or have been cut early. */
function expectOnlyTls(sent: Buffer[]) {
  const encrypted = Buffer.concat([tlsRequest, handshake]);
  const beginnings = sent.map((bytes) => bytes.subarray(0, encrypted.length));
  expect(beginnings).toEqual(beginnings.map(({ length }) => encrypted.subarray(0, length)));
  expect(beginnings).toContainEqual(encrypted);
}

const trusted = (postgres: TlsPostgres) => `sslmode=verify-full&sslrootcert=${postgres.authority}`;

/** The error of a first statement. */
async function refusal(url: string): Promise<Error & { code?: string }> {
  const db = connectDatabase({ url, poolMax: 1 });
  return await db.sql`select 1`
    .then(
      () => new Error('it was accepted'),
      (error) => error,
    )
    .finally(db.close);
}

async function isEncrypted(url: string): Promise<boolean> {
  const db = connectDatabase({ url, poolMax: 1 });
  return await encrypted(db.sql).finally(db.close);
}

async function encrypted(sql: Database['sql']): Promise<boolean> {
  const [row] = await sql<{ ssl: boolean }[]>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
  return row?.ssl === true;
}

describe.skipIf(!hasOpenssl)('a Postgres with TLS', () => {
  let postgres: TlsPostgres;
  beforeAll(async () => {
    postgres = await startTlsPostgres();
  });
  afterAll(() => postgres[Symbol.asyncDispose]());

  test('statements, transactions and separate connections are encrypted, and a cancellation gets through', async () => {
    const db = connectDatabase({ url: postgres.url('localhost', trusted(postgres)), poolMax: 2 });
    try {
      expect(await encrypted(db.sql)).toBe(true);
      expect(await db.transaction(({ sql }) => encrypted(sql))).toBe(true);
      const alone = db.connectAlone();
      expect(await encrypted(alone).finally(() => alone.end())).toBe(true);
      const slow = db.sql`select pg_sleep(20), 'slow' as statement`.execute();
      const running = `select 1 from pg_stat_activity where query like '%slow%' and state = 'active' and pid <> pg_backend_pid()`;
      await eventually(async () => expect(await postgres.admin.sql.unsafe(running)).toHaveLength(1));
      slow.cancel();
      await expect(slow).rejects.toMatchObject({ code: '57014' });
    } finally {
      await db.close();
    }
  });

  test.each([
    ['a certificate of a strange authority', 'localhost', 'stranger', 'verify-full', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['a certificate of a strange authority', 'localhost', 'stranger', 'verify-ca', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['a certificate of a strange authority', 'localhost', 'stranger', 'require', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['a certificate for another name', '127.0.0.1', 'authority', 'verify-full', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ] as const)('%s is refused, and nothing is sent in clear (%s, %s, %s)', async (_, host, authority, mode, code) => {
    await using recorder = await startRecorder({ host: '127.0.0.1', port: postgres.port });
    const parameters = `sslmode=${mode}&sslrootcert=${postgres[authority]}`;
    const error = await refusal(postgres.url(host, parameters, recorder.port));
    expect(error).toMatchObject({ code });
    expect(databaseUntrusted(error)).toBe(true);
    expect(recorder.sent().length).toBeGreaterThan(0);
    expectOnlyTls(recorder.sent());
  });

  test('without certificates of its own, verify-full trusts the public authorities alone', async () => {
    expect(databaseUntrusted(await refusal(postgres.url('localhost', 'sslmode=verify-full')))).toBe(true);
  });

  test.each([
    ['localhost', 'prefer'],
    ['localhost', 'require'],
    ['127.0.0.1', 'verify-ca'],
  ])('at %s, sslmode=%s encrypts and demands no more than it does with libpq', async (host, mode) => {
    const certificates = mode === 'verify-ca' ? `&sslrootcert=${postgres.authority}` : '';
    expect(await isEncrypted(postgres.url(host, `sslmode=${mode}${certificates}`))).toBe(true);
  });

  test('a certificate for an IP address is compared with the address', async () => {
    await postgres.useCertificateFor('IP:127.0.0.1');
    const url = postgres.url('127.0.0.1', trusted(postgres));
    await eventually(async () => expect(await isEncrypted(url)).toBe(true));
    await expect(refusal(postgres.url('localhost', trusted(postgres)))).resolves.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
    await postgres.useCertificateFor('DNS:localhost');
    await eventually(async () => expect(await isEncrypted(postgres.url('localhost', trusted(postgres)))).toBe(true));
  });

  test('after a reconnect, too, a server that is said to have no TLS gets nothing', async () => {
    await using recorder = await startRecorder({ host: '127.0.0.1', port: postgres.port });
    const db = connectDatabase({ url: postgres.url('localhost', trusted(postgres), recorder.port), poolMax: 2 });
    try {
      expect(await encrypted(db.sql)).toBe(true);
      const before = recorder.sent().length;
      recorder.strip();
      recorder.cut();
      await eventually(() => expect(db.sql`select 1`).rejects.toMatchObject({ code: 'TLS_NOT_OFFERED' }));
      const later = recorder.sent().slice(before);
      expect(later.length).toBeGreaterThan(0);
      expect(later).toEqual(later.map(() => tlsRequest));
    } finally {
      await db.close();
    }
  });

  test('no connection of the program is in clear: migrations, heartbeats, steps, and all of them again after a cut', async () => {
    await using recorder = await startRecorder({ host: '127.0.0.1', port: postgres.port });
    await postgres.admin.sql`drop database if exists program with (force)`;
    await postgres.admin.sql`create database program`;
    const url = postgres.url('localhost', trusted(postgres), recorder.port).replace('/postgres?', '/program?');
    const dataDir = await temporaryDataDir();
    const holdfast = await startHoldfast({ HOLDFAST_DATA_DIR: dataDir.path, DATABASE_URL: url });
    try {
      const { id } = await holdfast.createSession({ language: 'bash' });
      expect(await holdfast.runStep(id, { code: 'echo before' })).toMatchObject({ stdout: 'before\n' });
      const before = recorder.sent().length;
      recorder.cut();
      const after = await eventually(() => holdfast.runStep(id, { code: 'echo after' }));
      expect(after).toMatchObject({ stdout: 'after\n' });
      expect(recorder.sent().length).toBeGreaterThan(before);
      expectOnlyTls(recorder.sent());
    } finally {
      await holdfast.stop();
      await dataDir.remove();
    }
  });
});

test.each(['require', 'verify-full'])(
  'sslmode=%s sends nothing to a server without TLS but the question for it, and says so',
  async (mode) => {
    const database = await createTestDatabase();
    const { host, port } = database.address as { host: string; port: number };
    await using recorder = await startRecorder({ path: `${host}/.s.PGSQL.${port}` });
    const error = await refusal(`postgres://me:secret@127.0.0.1:${recorder.port}/records?sslmode=${mode}`);
    expect(error).toMatchObject({ code: 'TLS_NOT_OFFERED' });
    expect(startFailure(error)).toMatch(
      /^the database is not trusted \(the server offers no TLS, .*\); check DATABASE_URL/,
    );
    const sent = recorder.sent();
    expect(sent.length).toBeGreaterThan(0);
    expect(sent).toEqual(sent.map(() => tlsRequest));
    await database.drop();
  },
);

test('a file without a certificate is refused, and does not stand for the public authorities', async () => {
  const dataDir = await temporaryDataDir();
  const empty = join(dataDir.path, 'empty.crt');
  await writeFile(empty, '');
  const connect = (path: string) =>
    connectDatabase({ url: `postgres://h/d?sslmode=verify-full&sslrootcert=${path}`, poolMax: 1 });
  expect(() => connect(empty)).toThrow(/empty\.crt, which .* has no certificate in PEM/);
  expect(() => connect(join(dirname(empty), 'missing.crt'))).toThrow(
    /missing\.crt, which .* cannot be read \(ENOENT\)/,
  );
  await dataDir.remove();
});
