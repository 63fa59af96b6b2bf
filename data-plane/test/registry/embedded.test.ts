import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { connectDatabase } from '../../src/registry/connect.ts';
import { databaseUnavailable, translateDatabaseError } from '../../src/registry/database-error.ts';
import { processStart } from '../../src/registry/embedded/process-start.ts';
import { startEmbeddedPostgres } from '../../src/registry/embedded/start-embedded-postgres.ts';
import { eventually } from '../support/eventually.ts';
import { removeDataDir } from '../support/remove-data-dir.ts';

/** Most tests share one cluster, because creating one takes a second; `fresh` ones have their own. */
let shared: string;
let dataDir: string;
const cleanUp: (() => unknown)[] = [];
beforeAll(async () => {
  shared = await makeDataDir();
});
beforeEach(() => {
  dataDir = shared;
});
afterEach(async () => {
  for (const undo of cleanUp.splice(0).toReversed()) await undo();
});
afterAll(() => removeDataDir(shared));

const makeDataDir = () => mkdtemp(join(tmpdir(), 'holdfast-embedded-'));

async function freshDataDir(...below: string[]): Promise<void> {
  const root = await makeDataDir();
  dataDir = join(root, ...below);
  const path = dataDir;
  cleanUp.push(
    () => rm(root, { recursive: true, force: true }),
    () => removeDataDir(path),
  );
}

async function start(progress: string[] = []) {
  const server = await startEmbeddedPostgres({ dataDir, progress: (message) => progress.push(message) });
  cleanUp.push(server.stop);
  const connect = () => {
    const db = connectDatabase({ ...server.address, poolMax: 2 });
    cleanUp.push(db.close);
    return db;
  };
  return { ...server, connect, home: await realpath(join(dataDir, 'postgres')) };
}

/** Another process that runs the server on the same data directory. */
async function startElsewhere(): Promise<{ child: ChildProcess; serverPid: number }> {
  const program = fileURLToPath(new URL('../support/registry-embedded-program.ts', import.meta.url));
  const child = spawn(process.execPath, [program, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  cleanUp.push(() => child.kill('SIGKILL'));
  await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line');
  const serverPid = await serverPidOf(await realpath(join(dataDir, 'postgres')));
  cleanUp.push(async () => {
    child.kill('SIGKILL');
    await eventually(async () => expect(await processStart(serverPid)).toBeNull());
  });
  return { child, serverPid };
}

const serverPidOf = async (home: string) =>
  Number((await readFile(join(home, 'cluster', 'postmaster.pid'), 'utf8')).split('\n')[0]);

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

test('committed rows survive a stop and a new start, and no process runs in between', async () => {
  await freshDataDir();
  const progress: string[] = [];
  const first = await start(progress);
  expect(progress).toEqual(expect.arrayContaining(['creating the database (once)', 'starting Postgres']));
  const { sql, close } = first.connect();
  await sql`create table committed as select 42 as answer`;
  const pid = await serverPidOf(first.home);
  await close();
  await first.stop();
  expect(await processStart(pid)).toBeNull();
  expect((await readdir(first.home)).toSorted()).toEqual(['cluster', 'initdb.log', 'password', 'postgres.log']);
  const second = await start();
  expect(await second.connect().sql`select answer from committed`).toMatchObject([{ answer: 42 }]);
});

test('only its own user reaches the server: without a port, through a private socket, with a password', async () => {
  const { address, connect, home } = await start();
  const { sql } = connect();
  const [settings] = await sql`select current_setting('listen_addresses') as tcp, current_setting('fsync') as fsync,
    (select rolsuper from pg_roles where rolname = current_user) as super`;
  expect(settings).toEqual({ tcp: '', fsync: 'on', super: false });
  expect([await modeOf(address.host), await modeOf(join(home, 'password'))]).toEqual([0o700, 0o600]);
  expect((await modeOf(home)) & 0o007).toBe(0);
  for (const user of ['holdfast', 'postgres']) {
    const stranger = connectDatabase({ ...address, user, password: 'guess', poolMax: 1 });
    cleanUp.push(stranger.close);
    await expect(stranger.sql`select 1`).rejects.toMatchObject({ code: '28P01' });
  }
});

test('rejects a second start on the same data directory, and names the process that uses it', async () => {
  const { child } = await startElsewhere();
  await expect(start()).rejects.toThrow(`is in use by process ${child.pid}`);
  expect(await processStart(child.pid ?? 0)).not.toBeNull();
});

test('after kill -9 of its parent, the next start waits for the earlier server and uses its data', async () => {
  const { child, serverPid } = await startElsewhere();
  child.kill('SIGKILL');
  await once(child, 'exit');
  const { connect, home } = await start();
  expect(await processStart(serverPid)).toBeNull();
  expect(await serverPidOf(home)).not.toBe(serverPid);
  expect(await connect().sql`select 1 as one`).toMatchObject([{ one: 1 }]);
});

test('after kill -9 of parent and server, the next start succeeds in spite of the files they left', async () => {
  const { child, serverPid } = await startElsewhere();
  child.kill('SIGSTOP');
  process.kill(serverPid, 'SIGKILL');
  child.kill('SIGKILL');
  await once(child, 'exit');
  await eventually(async () => expect(await processStart(serverPid)).toBeNull());
  expect(await (await start()).connect().sql`select 1 as one`).toMatchObject([{ one: 1 }]);
});

test('a pid file may name an unrelated process, which stays alive', async () => {
  const first = await start();
  await first.stop();
  const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 60_000)'], { stdio: 'ignore' });
  cleanUp.push(() => stranger.kill('SIGKILL'));
  await once(stranger, 'spawn');
  await writeFile(join(first.home, 'cluster', 'postmaster.pid'), `${stranger.pid}\n${first.home}/cluster\n0\n5432\n\n`);
  await writeFile(join(first.home, 'owner'), `${stranger.pid} 1`);
  await start();
  expect(await processStart(stranger.pid ?? 0)).not.toBeNull();
});

test('a data directory with a path too long for a socket works too, and leaves no socket behind', async () => {
  await freshDataDir('d'.repeat(60), 'e'.repeat(60));
  const { address, connect, stop } = await start();
  expect(Buffer.byteLength(join(address.host, '.s.PGSQL.5432'))).toBeLessThanOrEqual(107);
  expect(await connect().sql`select 1 as one`).toMatchObject([{ one: 1 }]);
  await stop();
  await expect(lstat(address.host)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('an aborted start leaves no process, and the next one works', async () => {
  await freshDataDir();
  const abort = new AbortController();
  const starting = startEmbeddedPostgres({ dataDir, progress: () => {}, signal: abort.signal });
  const refusal = expect(starting).rejects.toThrow('enough');
  const homeOf = () => realpath(join(dataDir, 'postgres')).catch(() => null);
  await eventually(async () => expect(await processesIn((await homeOf()) ?? 'none')).not.toEqual([]));
  abort.abort(new Error('enough'));
  await refusal;
  const home = (await homeOf()) ?? '';
  await eventually(async () => expect(await processesIn(home)).toEqual([]));
  expect(await (await start()).connect().sql`select 1 as one`).toMatchObject([{ one: 1 }]);
});

test('a cluster that cannot start fails with the end of its own log', async () => {
  await freshDataDir();
  const { home, stop } = await start();
  await stop();
  await writeFile(join(home, 'cluster', 'PG_VERSION'), '9.6\n');
  await expect(start()).rejects.toThrow(/PostgreSQL version 9\.6|not compatible/);
  await expect(lstat(join(home, 'owner'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test('rejects a home that leads out of its place', { skip: process.getuid?.() !== 0 }, async () => {
  await freshDataDir();
  const elsewhere = join(dataDir, 'elsewhere');
  await mkdir(elsewhere);
  await symlink(elsewhere, join(dataDir, 'postgres'));
  await expect(start()).rejects.toThrow('which is not ours');
});

test('distinguishes the loss of the server from faults of a statement', async () => {
  const server = await start();
  const { sql, orm } = server.connect();
  const wrong = await orm.execute('select nonsense').catch((error: unknown) => error);
  expect(databaseUnavailable(wrong)).toBe(false);
  expect(translateDatabaseError(wrong)).toBe(wrong);
  const running = orm.execute('select pg_sleep(60)').catch((error: unknown) => error);
  await eventually(async () =>
    expect(await sql`select from pg_stat_activity where query like 'select pg_sleep%'`).toHaveLength(1),
  );
  await server.stop();
  const refused = await orm.execute('select 1').catch((error: unknown) => error);
  for (const error of [await running, refused]) {
    expect(databaseUnavailable(error)).toBe(true);
    const problem = { slug: 'database-unavailable', status: 503, options: { retryAfterSeconds: 2, cause: error } };
    expect(translateDatabaseError(error)).toMatchObject(problem);
  }
  expect(await server.ended).toContain('Postgres ended');
});

/** The command lines of the processes that name the directory. */
async function processesIn(directory: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return commands.filter((command) => command.includes(`${directory}/`));
}
