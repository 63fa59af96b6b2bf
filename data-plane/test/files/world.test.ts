import { afterAll, beforeAll, expect, test } from 'vitest';
import { listWorldFiles } from '../../src/registry/world-files/list-world-files.ts';
import { listWorldDirectories } from '../../src/registry/world-files/world-directories.ts';
import { type FakeKubernetes, startFakeKubernetes } from '../fake-kubernetes/start-fake-kubernetes.ts';
import { eventually } from '../support/eventually.ts';
import { type FilesClient, filesClient, sha256 } from '../support/files-client.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startReplicaOnKubernetes } from '../support/start-on-kubernetes.ts';

type Replica = Awaited<ReturnType<typeof startReplicaOnKubernetes>>;

let fake: FakeKubernetes;
let database: TestDatabase;
let replicas: [Replica, Replica];

const start = () => startReplicaOnKubernetes(fake, { DATABASE_URL: database.url });

beforeAll(async () => {
  fake = await startFakeKubernetes();
  database = await createTestDatabase();
  replicas = await Promise.all([start(), start()]);
}, 120_000);
afterAll(async () => {
  for (const replica of replicas) await replica[Symbol.asyncDispose]();
  await database.drop();
  await fake.close();
}, 120_000);

/** The files of a new session as clients of two replicas use them. */
async function twoClients(): Promise<[FilesClient, FilesClient]> {
  const { id } = await replicas[0].createSession();
  return [filesClient(replicas[0], id), filesClient(replicas[1], id)];
}

/** All directories in the world, and in the working copy. */
const directoriesOf = async (files: FilesClient): Promise<[string[], string[]]> => {
  const { items }: { items: { kind: string; path: string }[] } = (await files.list({ depth: '8' })).json();
  const there = items.flatMap(({ kind, path }) => (kind === 'directory' ? [path] : []));
  return [await listWorldDirectories(database.db, { sessionId: files.sessionId }), there.toSorted()];
};

const worldOf = async ({ sessionId }: FilesClient) =>
  Object.fromEntries((await listWorldFiles(database.db, { sessionId })).map((file) => [file.path, file.sha256]));

async function workingCopyOf(files: FilesClient): Promise<Record<string, string>> {
  const { items } = (await files.list({ depth: '8' })).json();
  const paths: string[] = items.flatMap((item: { kind: string; path: string }) =>
    item.kind === 'file' ? [item.path] : [],
  );
  return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, sha256((await files.get(path)).text)])));
}

async function tarOf(...paths: string[]): Promise<Uint8Array> {
  const [files] = await twoClients();
  for (const path of paths) await files.put(path, 'archived');
  return new Uint8Array(await (await files.send('GET', 'archive', { query: { format: 'tar' } })).arrayBuffer());
}

/** Races of each kind. */
const rounds = Number(process.env.HOLDFAST_RACE_ROUNDS ?? 20);

type Pair = [name: string, act: (one: FilesClient, other: FilesClient, round: number) => Promise<unknown>[]];

test.each<Pair>([
  ['two files at one path', (one, other, round) => [one.put('d', `${round}`), other.put('d', `other ${round}`)]],
  ['a directory and a file at its path', (one, other, round) => [one.makeDirectory('d/e'), other.put('d', `${round}`)]],
  ['a move and a directory', (one, other) => [one.move('m', 'd', true), other.makeDirectory('d/e')]],
  [
    'a deletion and a directory below it',
    (one, other) => [one.remove('d', { recursive: 'true' }), other.makeDirectory('d/e/f')],
  ],
  ['a file and a file below it', (one, other, round) => [one.put('d', `${round}`), other.put('d/f', `${round}`)]],
  ['a move and a file at its target', (one, other, round) => [one.move('m', 'd', true), other.put('d/f', `${round}`)]],
  [
    'a deletion and a file in the directory',
    (one, other, round) => [one.remove('d', { recursive: 'true' }), other.put('d/f', `${round}`)],
  ],
])(
  'world and working copy stay one tree if two replicas change %s at the same time',
  async (_, act) => {
    const [one, other] = await twoClients();
    for (let round = 0; round < rounds; round++) {
      await one.put('m', `m${round}`);
      const answers = (await Promise.all(act(one, other, round))) as { status: number }[];
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      expect(await worldOf(one)).toEqual(await workingCopyOf(one));
      const [world, workingCopy] = await directoriesOf(one);
      expect(world).toEqual(workingCopy);
      await one.remove('d', { recursive: 'true' });
    }
  },
  120_000,
);

test('world and working copy stay one tree if two replicas unpack an archive and write a file at the same time', async () => {
  const body = await tarOf('d/f', 'd/g/h');
  const [one, other] = await twoClients();
  for (let round = 0; round < rounds; round++) {
    const unpacking = one.ask('PUT', 'archive', { query: { format: 'tar' }, body });
    const answers = await Promise.all([unpacking, other.put('d', `${round}`), other.put('d/g', `${round}`)]);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    expect(await worldOf(one)).toEqual(await workingCopyOf(one));
    const [world, workingCopy] = await directoriesOf(one);
    expect(world).toEqual(workingCopy);
    await one.remove('d', { recursive: 'true' });
  }
}, 120_000);

/** Makes the registry refuse every new file in the session's world until it is disposed. */
async function refusedInsertions({ sessionId }: FilesClient) {
  await database.owner.sql.unsafe(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused' using errcode = '23514'; end $$;
    create trigger refuse before insert on world_files for each row
    when (new.session_id = '${sessionId}') execute function refuse()`);
  return {
    async [Symbol.asyncDispose]() {
      await database.owner.sql.unsafe('drop trigger refuse on world_files; drop function refuse()');
    },
  };
}

test('a file that the registry refuses answers 503, and is in the world before the next write', async () => {
  const [files, other] = await twoClients();
  {
    await using _ = await refusedInsertions(files);
    expect(await files.put('x', 'new')).toMatchObject({ status: 503, code: 'world-unsettled' });
    expect((await files.get('x')).text).toBe('new');
    expect(await worldOf(files)).toEqual({});
  }
  expect((await other.put('y', 'next')).status).toBe(201);
  expect(await worldOf(files)).toEqual({ x: sha256('new'), y: sha256('next') });
});

/** Blocks every change of a world until it is disposed. */
async function lockedWorlds() {
  const lock = database.db.connectAlone();
  await lock`begin`;
  await lock`lock table world_files in exclusive mode`;
  return {
    async [Symbol.asyncDispose]() {
      await lock`rollback`;
      await lock.end();
    },
  };
}

test('a file whose replica is killed before it recorded the file is in the world soon after', async () => {
  const leaving = await start();
  const [files] = await twoClients();
  const client = filesClient(leaving, files.sessionId);
  await client.put('kept', 'kept');
  {
    await using _ = await lockedWorlds();
    const putting = client.put('x', 'new').catch(() => null);
    const [waiting] = await eventually(async () => {
      const found = await database.db.sql<{ pid: number }[]>`
        select pid from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%world_files%'`;
      expect(found).toHaveLength(1);
      return found;
    });
    expect((await files.get('x')).text).toBe('new');
    await leaving.kill();
    await putting;
    await database.db.sql`select pg_terminate_backend(${waiting?.pid ?? 0})`;
  }
  expect(await worldOf(files)).toEqual({ kept: sha256('kept') });
  await database.db.sql`
    update replicas set heartbeat_at = now() - interval '1 minute'
    where id = (select replica_id from worlds where session_id = ${files.sessionId})`;
  await eventually(
    async () => expect(await worldOf(files)).toEqual({ kept: sha256('kept'), x: sha256('new') }),
    30_000,
  );
  await leaving[Symbol.asyncDispose]();
}, 60_000);

test('files that a session deleted and changed without a step are in the world as they are once it is compared', async () => {
  const [files] = await twoClients();
  for (const path of ['a', 'b/c', 'd']) await files.put(path, path);
  await database.db.sql`
    update world_files set sha256 = (select sha256 from world_files where session_id = ${files.sessionId} and path = 'd')
    where session_id = ${files.sessionId} and path = 'a'`;
  await database.db.sql`
    update world_files set path = 'gone' where session_id = ${files.sessionId} and path = 'b/c'`;
  await database.db.sql`update worlds set is_unsettled = true where session_id = ${files.sessionId}`;
  const settled = { a: sha256('a'), 'b/c': sha256('b/c'), d: sha256('d') };
  await eventually(async () => expect(await worldOf(files)).toEqual(settled), 30_000);
  const [row] = await database.db.sql`select is_unsettled from worlds where session_id = ${files.sessionId}`;
  expect(row).toEqual({ is_unsettled: false });
}, 60_000);

test('directories and modes that changed without a step are in the world once it is compared', async () => {
  const [files] = await twoClients();
  await files.put('run', 'run');
  await files.makeDirectory('a/b');
  const { sql } = database.db;
  const { sessionId } = files;
  await sql`update world_files set executable = true where session_id = ${sessionId}`;
  await sql`update world_directories set path = 'gone' where session_id = ${sessionId} and path = 'a/b'`;
  await sql`update worlds set is_unsettled = true where session_id = ${sessionId}`;
  await eventually(async () => {
    expect(await directoriesOf(files)).toEqual([
      ['a', 'a/b'],
      ['a', 'a/b'],
    ]);
    expect(await listWorldFiles(database.db, { sessionId })).toMatchObject([{ path: 'run', executable: false }]);
  }, 30_000);
}, 60_000);

test('a link in the world stays one when a client writes, moves and deletes through it', async () => {
  const [files] = await twoClients();
  const code = [
    'import os',
    'os.makedirs("real/deep")',
    'for path in ("real/a", "real/b", "real/c"): open(path, "w").write("old")',
    'os.symlink("a", "real/link")',
    'os.symlink("real", "above")',
  ];
  await replicas[0].runStep(files.sessionId, { code: code.join('\n') });
  expect((await files.put('real/link', 'one')).status).toBe(200);
  expect((await files.put('above/new', 'two')).status).toBe(201);
  expect((await files.remove('above/b')).status).toBe(204);
  expect((await files.move('above/c', 'above/moved')).status).toBe(204);
  const settled = {
    above: sha256('real'),
    'real/a': sha256('one'),
    'real/link': sha256('a'),
    'real/moved': sha256('old'),
    'real/new': sha256('two'),
  };
  await eventually(async () => expect(await worldOf(files)).toEqual(settled), 30_000);
}, 60_000);
