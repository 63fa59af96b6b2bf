import { setTimeout as delay } from 'node:timers/promises';
import { newId, Problem } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { storeArtifacts } from '../../src/artifacts/store-artifacts.ts';
import { connectDatabase } from '../../src/registry/connect.ts';
import { listWorldFiles } from '../../src/registry/world-files/list-world-files.ts';
import { listWorldDirectories } from '../../src/registry/world-files/world-directories.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { putWorldFile } from '../support/registry-rows.ts';
import { change, sha256Of, startStoring } from '../support/start-storing.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const isMarked = async (sessionId: string): Promise<boolean> => {
  const rows = await database.db.sql`select from worlds where session_id = ${sessionId} and is_unsettled`;
  return rows.length > 0;
};

const hello = { size: 5, sha256: sha256Of('hello'), omission: null };
const omitted = (omission: string) => ({ size: null, sha256: null, mimeType: null, url: null, omission });

test('records the files that a step created, changed and deleted, and leaves the world as the step left the workspace', async () => {
  await using storing = await startStoring(database);
  const { files, store, sessionId } = storing;
  files.set('a.txt', 'hello').set('plots/plot.png', 'hello');
  await store([change('a.txt'), change('plots/plot.png')]);
  files.set('a.txt', 'olleh');
  const stepId = newId('stp');
  const changes = [
    change('a.txt', { change: 'modified', concurrent: true }),
    change('plots/plot.png', { change: 'deleted', size: 0 }),
  ];
  const artifacts = await store(changes, { stepId });
  expect(artifacts).toMatchObject([
    { path: 'a.txt', role: 'output', change: 'modified', sha256: sha256Of('olleh'), concurrent: true },
    { path: 'plots/plot.png', change: 'deleted', ...omitted('none'), omission: null },
  ]);
  const [modified] = artifacts;
  expect(modified).toMatchObject({ size: 5, mimeType: 'text/plain; charset=utf-8', omission: null });
  expect(modified?.url).toBe(`/v1/sessions/${sessionId}/artifacts/${modified?.id}/content`);
  expect(await storing.world()).toEqual({ 'a.txt': sha256Of('olleh') });
  const recorded = (await storing.recorded()).filter((row) => row.stepId === stepId);
  expect(recorded.map(({ id, path }) => ({ id, path }))).toEqual(
    expect.arrayContaining(artifacts.map(({ id, path }) => ({ id, path }))),
  );
});

test('lists each file beyond a limit with that limit, and stores the files within it', async () => {
  const limits = { keptFileBytesMax: 10, keptStepBytesMax: 12, keptSessionBytesMax: 21 };
  await using storing = await startStoring(database, limits);
  const { files, asked, store } = storing;
  for (const path of ['a', 'b', 'c', 'd', 'e']) files.set(path, path.repeat(5));
  const changes = ['a', 'big', 'b', 'c'].map((path) => change(path, path === 'big' ? { size: 11 } : {}));
  expect(await store(changes)).toMatchObject([
    { path: 'a', omission: null },
    { path: 'big', ...omitted('too-large') },
    { path: 'b', omission: null },
    { path: 'c', ...omitted('step-limit') },
  ]);
  expect(await store([change('c'), change('d')])).toMatchObject([{ omission: null }, { omission: null }]);
  expect(await store([change('e')])).toMatchObject([omitted('session-limit')]);
  expect(asked.toSorted()).toEqual(['a', 'b', 'c', 'd']);
  expect(Object.keys(await storing.world()).toSorted()).toEqual(['a', 'b', 'c', 'd']);
});

test('lists a file beyond the limit of the tenant with that limit, and the world keeps the file as it was', async () => {
  const limits = { keptTenantBytesMax: 17 };
  await using storing = await startStoring(database, limits, { tenant: 'bounded' });
  await using other = await startStoring(database, limits, { tenant: 'bounded' });
  const { files, asked, store, sessionId } = storing;
  files.set('a', 'first').set('b', 'hello').set('tiny', '12');
  expect(await store([change('a'), change('b')])).toMatchObject([{ omission: null }, { omission: null }]);
  const { db } = database;
  const uploaded = await storing.deps.contents.store(bytesOf('sent!'), { bytesMax: 5 });
  await putWorldFile(db, { sessionId, path: 'uploaded', ...uploaded });
  files.set('a', 'again').set('uploaded', 'fresh');
  const modified = ['a', 'uploaded', 'tiny'].map((path) => change(path, { size: path === 'tiny' ? 2 : 5 }));
  expect(await store(modified)).toMatchObject([omitted('tenant-limit'), { omission: null }, { omission: null }]);
  other.files.set('a', 'other');
  expect(await other.store([change('a')])).toMatchObject([omitted('tenant-limit')]);
  expect([asked, other.asked]).toEqual([['a', 'b', 'uploaded', 'tiny'], []]);
  expect(await storing.world()).toEqual({
    a: sha256Of('first'),
    b: sha256Of('hello'),
    tiny: sha256Of('12'),
    uploaded: sha256Of('fresh'),
  });
  await using neighbour = await startStoring(database, limits, { tenant: 'neighbour' });
  neighbour.files.set('a', 'other');
  expect(await neighbour.store([change('a')])).toMatchObject([{ omission: null }]);
});

async function* bytesOf(text: string) {
  yield Buffer.from(text);
}

test('stores at most a thousand contents of one step', async () => {
  await using storing = await startStoring(database);
  const changes = Array.from({ length: 1002 }, (_, index) => change(`${String(index).padStart(4, '0')}.txt`));
  for (const { path } of changes) storing.files.set(path, 'hello');
  const artifacts = await storing.store(changes);
  expect(artifacts.filter(({ omission }) => omission === 'step-limit')).toHaveLength(2);
  expect(artifacts.filter(({ sha256 }) => sha256 === hello.sha256)).toHaveLength(1000);
});

test('a file that has changed since, or is cut off, is `changing` and is not stored', async () => {
  await using storing = await startStoring(database);
  const { files, asked, store } = storing;
  files.set('old', 'hello');
  await store([change('old')]);
  files.set('old', new Problem('precondition-failed'));
  files.set('cut', (response) => {
    response.writeHead(200, { 'content-length': 5 }).write('hel', () => response.destroy());
  });
  files.set('reset', (response) => {
    response.writeHead(200, { 'content-length': 5 }).write('hel', () => response.socket?.resetAndDestroy());
  });
  const artifacts = await store([change('old', { change: 'modified' }), change('cut'), change('reset')]);
  expect(artifacts).toMatchObject([omitted('changing'), omitted('changing'), omitted('changing')]);
  expect([...new Set(asked)].toSorted()).toEqual(['cut', 'old', 'reset']);
  expect(asked.filter((path) => path === 'old')).toHaveLength(2);
  expect(await storing.world()).toEqual({ old: hello.sha256 });
});

test('a file is read again if its connection was lost, and lost connections delay a step only for a moment', async () => {
  await using storing = await startStoring(database);
  const { files, asked, store } = storing;
  files.set('once', (response) => {
    files.set('once', 'hello');
    response.writeHead(200, { 'content-length': 5 }).write('hel', () => response.socket?.resetAndDestroy());
  });
  expect(await store([change('once')])).toMatchObject([hello]);
  const paths = Array.from({ length: 100 }, (_, n) => `lost-${n}`);
  for (const path of paths) files.set(path, (response) => response.socket?.destroy());
  const artifacts = await store(paths.map((path) => change(path)));
  expect(new Set(artifacts.map(({ sha256 }) => sha256))).toEqual(new Set([null]));
  expect(asked.filter((path) => path !== 'once')).toHaveLength(108);
});

test('a file with more or fewer bytes than its agent announced is not stored', async () => {
  await using storing = await startStoring(database, { keptFileBytesMax: 1000 });
  const { files, store } = storing;
  files.set('more', 'hello, world').set('less', 'hell').set('none', '').set('honest', 'hello');
  let endless = 0;
  files.set('endless', (response) => {
    const more = () => {
      endless += 65_536;
      response.write(Buffer.alloc(65_536), (error) => error || setImmediate(more));
    };
    response.writeHead(200);
    more();
  });
  const changes = ['more', 'less', 'none', 'endless', 'honest'].map((path) => change(path));
  expect((await store(changes)).map(({ omission }) => omission)).toEqual([...Array(4).fill('changing'), null]);
  expect(endless).toBeLessThan(64 * 1024 * 1024);
  expect(await storing.world()).toEqual({ honest: hello.sha256 });
});

test('a file that cannot be read is listed as `unreadable` and does not affect the others', async () => {
  await using storing = await startStoring(database);
  const { files, store } = storing;
  files.set('refused', new Problem('path-conflict')).set('good', 'hello');
  files.set('garbled', (response) => response.writeHead(500).end('<html>'));
  const { version: _, ...unversioned } = change('unversioned');
  const artifacts = await store([change('refused'), change('gone'), change('garbled'), unversioned, change('good')]);
  expect(artifacts.map(({ omission }) => omission)).toEqual([...Array(4).fill('unreadable'), null]);
});

test('stops waiting for an agent that sends too slowly at a deadline', async () => {
  await using storing = await startStoring(database);
  const { files, store } = storing;
  let isGone = false;
  files.set('drip', (response) => {
    response.writeHead(200, { 'content-length': 5 }).write('h');
    response.once('close', () => {
      isGone = true;
    });
  });
  const timeout = AbortSignal.timeout;
  const asked: number[] = [];
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    asked.push(ms);
    return timeout.call(AbortSignal, 50);
  });
  try {
    expect(await store([change('drip')])).toMatchObject([omitted('unreadable')]);
  } finally {
    vi.restoreAllMocks();
  }
  expect(asked[0]).toBe(60_001);
  await expect.poll(() => isGone).toBe(true);
});

test('checks the names that an agent lists: outside the workspace, repeated, or not a file', async () => {
  await using storing = await startStoring(database);
  const { files, asked, store } = storing;
  files.set('a', 'hello');
  const artifacts = await store([
    change('../../etc/passwd'),
    change('nul\0'),
    change('a'),
    change('a', { change: 'deleted' }),
    change('', { change: 'modified', omission: 'too-many' }),
    change('link', { change: 'modified', omission: 'not-a-file' }),
  ]);
  expect(artifacts.map(({ path, omission }) => [path, omission])).toEqual([
    ['../../etc/passwd', 'invalid-name'],
    ['nul\uFFFD', 'invalid-name'],
    ['a', null],
    ['', 'too-many'],
    ['link', 'not-a-file'],
  ]);
  expect(asked).toEqual(['a']);
  expect(await storing.world()).toEqual({ a: hello.sha256 });
});

test('a step that is stored again after a crash has its artifacts once, and the world stays as later steps left it', async () => {
  await using storing = await startStoring(database);
  const { files, store } = storing;
  files.set('a', 'hello').set('b', 'hello');
  const stepId = newId('stp');
  const changes = [change('a'), change('b')];
  const first = await store(changes, { stepId });
  files.set('a', 'later');
  await store([change('a', { change: 'modified', version: 'v2' })]);
  files.set('a', new Problem('precondition-failed'));
  const again = await store(changes, { stepId, isHandedOver: true });
  expect(again.toSorted(byPath)).toEqual(first.toSorted(byPath));
  expect(await storing.recorded()).toHaveLength(3);
  expect(await storing.world()).toEqual({ a: sha256Of('later'), b: hello.sha256 });
});

test('a step that is stored again after a crash has the same changes that were put back, directories included', async () => {
  await using storing = await startStoring(database);
  const { deps, route, sessionId } = storing;
  await database.db.sql`update sessions set policy = '{"world": {"readOnly": true}}' where id = ${sessionId}`;
  const stepId = newId('stp');
  const long = Array.from({ length: 20 }, (_, index) => change(`${index}/${'é'.repeat(100)}/${'é'.repeat(100)}`));
  const directories = [{ path: 'made', change: 'created' as const }];
  const stored = (isHandedOver: boolean, changes = long) => {
    const step = { route, stepId, by: { actor: 'agent', keyId: null } as const, at: new Date() };
    return storeArtifacts(deps, { ...step, changes, directories, isHandedOver: async () => isHandedOver });
  };
  const { refusedChanges } = await stored(false);
  expect(refusedChanges).toEqual({ count: 21, rules: ['world.readOnly'] });
  expect(await stored(true)).toMatchObject({ refusedChanges });
});

test('a step that was handed over before it was stored removes no file that later steps created', async () => {
  await using storing = await startStoring(database);
  const { files, store } = storing;
  files.set('again', 'hello').set('gone', 'hello');
  await store([change('again'), change('gone')]);
  files.delete('gone');
  const deleted = ['again', 'gone'].map((path) => change(path, { change: 'deleted', size: 0 }));
  await store(deleted, { isHandedOver: true });
  expect(await storing.world()).toEqual({ again: hello.sha256 });
});

test('directories are recorded in the world, and not as artifacts', async () => {
  await using storing = await startStoring(database);
  const { store, sessionId } = storing;
  const created = ['d', 'd/e', 'gone', '../up', '/etc', '', 'a//b', 'x\0'].map(
    (path) => ({ path, change: 'created' }) as const,
  );
  expect(await store([], { directories: created })).toEqual([]);
  expect(await listWorldDirectories(database.db, { sessionId })).toEqual(['d', 'd/e', 'gone']);
  const again = [
    { path: 'gone', change: 'deleted' },
    { path: 'd/e', change: 'created' },
    { path: 'd/e', change: 'deleted' },
  ] as const;
  await store([], { directories: [...again] });
  expect(await listWorldDirectories(database.db, { sessionId })).toEqual(['d']);
  expect([await storing.recorded(), await isMarked(sessionId)]).toEqual([[], false]);
});

test('records as many directories of a step as have paths within the limit', async () => {
  await using storing = await startStoring(database);
  const { store, sessionId } = storing;
  const directories = Array.from(
    { length: 7000 },
    (_, number) => ({ path: String(number).padStart(250, '0').concat('/d'.repeat(200)), change: 'created' }) as const,
  );
  await store([], { directories });
  expect(await listWorldDirectories(database.db, { sessionId })).toHaveLength(Math.floor((4 * 2 ** 20) / 650));
});

test('a step that was handed over marks the world, as a later step may have changed its directories', async () => {
  await using storing = await startStoring(database);
  const { store, sessionId } = storing;
  const directories = [{ path: 'd', change: 'created' } as const];
  await store([], { directories, isHandedOver: true });
  expect(await listWorldDirectories(database.db, { sessionId })).toEqual([]);
  expect(await isMarked(sessionId)).toBe(true);
});

test('records whether a file is executable, and keeps what it has if an agent does not say', async () => {
  await using storing = await startStoring(database);
  const { files, store, sessionId } = storing;
  const executable = async () =>
    (await listWorldFiles(database.db, { sessionId })).map(({ path, executable }) => [path, executable]);
  files.set('a', 'hello').set('b', 'hello');
  await store([change('a', { executable: true }), change('b')]);
  expect(await executable()).toEqual([
    ['a', true],
    ['b', false],
  ]);
  await store([change('a', { change: 'modified' }), change('b', { change: 'modified', executable: true })]);
  expect(await executable()).toEqual([
    ['a', true],
    ['b', true],
  ]);
});

test('steps of one session are stored in the order in which they ended', async () => {
  await using storing = await startStoring(database);
  const { files, asked, store } = storing;
  const slow = Promise.withResolvers<void>();
  files.set('a', (response) => void slow.promise.then(() => response.end('hello')));
  const first = store([change('a')]);
  await expect.poll(() => asked).toEqual(['a']);
  const second = store([change('a', { change: 'deleted', size: 0 })]);
  await delay(0);
  slow.resolve();
  await Promise.all([first, second]);
  expect(await storing.world()).toEqual({});
});

test('a session that is deleted meanwhile has no artifacts, and its step ends', async () => {
  await using storing = await startStoring(database);
  const { files, store, sessionId } = storing;
  files.set('a', (response) => {
    database.db.sql`delete from sessions where id = ${sessionId}`.then(() => response.end('hello'));
  });
  expect(await store([change('a')])).toMatchObject([{ path: 'a' }]);
  expect(await storing.recorded()).toEqual([]);
});

test('stored contents are not lost if the database is unavailable for a moment', async () => {
  await using storing = await startStoring(database);
  const { files, store } = storing;
  files.set('a', 'hello');
  const lock = database.db.connectAlone();
  await lock`begin`;
  await lock`lock table artifacts in exclusive mode`;
  const stored = store([change('a')]);
  const [waiting] = await eventually(async () => {
    const found = await lock<{ pid: number }[]>`
      select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    expect(found).toHaveLength(1);
    return found;
  });
  await lock`select pg_terminate_backend(${waiting?.pid ?? 0})`;
  await lock`rollback`;
  await lock.end();
  expect(await stored).toMatchObject([hello]);
  expect(await storing.recorded()).toHaveLength(1);
});

/** Makes the database refuse all connections, and ends those that there are. */
async function refuseConnections({ address }: TestDatabase) {
  const { database: name } = address as { database: string };
  const connection = connectDatabase({ ...inject('postgres').admin, poolMax: 1 });
  await connection.sql.unsafe(`alter database ${name} connection limit 0`);
  await connection.sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
  return async () => {
    await connection.sql.unsafe(`alter database ${name} connection limit -1`);
    await connection.close();
  };
}

test('the files of a step are stored however long the database is away', async () => {
  const away = await createTestDatabase();
  await using storing = await startStoring(away);
  const { files, asked, store } = storing;
  let accept = async () => {};
  files.set('a', async (response) => {
    if (asked.length === 1) accept = await refuseConnections(away);
    response.end('hello');
  });
  // A minute passes with each attempt.
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + asked.length * 60_000);
  try {
    const stored = store([change('a')]);
    await expect.poll(() => asked.length, { timeout: 20_000 }).toBeGreaterThan(5);
    await accept();
    expect(await stored).toMatchObject([hello]);
  } finally {
    vi.restoreAllMocks();
  }
  expect(await storing.world()).toEqual({ a: hello.sha256 });
  await away.drop();
});

/** A database that loses its connection at one statement or transaction. */
function losingOne(db: TestDatabase['db']) {
  let statementsLeft = Number.POSITIVE_INFINITY;
  const losesNow = () => statementsLeft-- === 0;
  const lost = () => Promise.reject(Object.assign(new Error('the connection was lost'), { code: 'ECONNRESET' }));
  const sql = new Proxy(db.sql, {
    apply(target, self, [first, ...values]) {
      const isStatement = Array.isArray(first) && 'raw' in first;
      return isStatement && losesNow() ? lost() : Reflect.apply(target, self, [first, ...values]);
    },
  });
  const transaction: typeof db.transaction = (work) => (losesNow() ? lost() : db.transaction(work));
  return {
    db: { ...db, sql, transaction },
    loseAfter(statements: number) {
      statementsLeft = statements;
    },
    hasLost: () => statementsLeft < 0,
  };
}

test('the files of a step are stored whichever statement loses its connection', async () => {
  const losing = losingOne(database.db);
  for (let statements = 0, hasLost = true; hasLost; statements++) {
    await using storing = await startStoring(losing);
    storing.files.set('a', 'hello');
    losing.loseAfter(statements);
    expect(await storing.store([change('a')]), `after ${statements} statements`).toMatchObject([hello]);
    hasLost = losing.hasLost();
    losing.loseAfter(Number.POSITIVE_INFINITY);
    expect(await storing.world()).toEqual({ a: hello.sha256 });
  }
});

const byPath = (one: { path: string }, other: { path: string }) => (one.path < other.path ? -1 : 1);
