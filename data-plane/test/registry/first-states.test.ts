import { createHash } from 'node:crypto';
import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { listTenantAudit } from '../../src/registry/audit/list-tenant-audit.ts';
import { connectDatabase, type Database } from '../../src/registry/connect.ts';
import { storeSmallContent } from '../../src/registry/contents/store-small-content.ts';
import { type FirstStates, insertWithState } from '../../src/registry/sessions/insert-with-state.ts';
import { deleteNamedSnapshot } from '../../src/registry/snapshots/delete-named-snapshot.ts';
import { deleteSnapshot } from '../../src/registry/snapshots/delete-snapshot.ts';
import { insertNamedSnapshot } from '../../src/registry/snapshots/insert-named-snapshot.ts';
import { recordSnapshot } from '../../src/registry/snapshots/record-snapshot.ts';
import { listWorldFiles } from '../../src/registry/world-files/list-world-files.ts';
import { putInitialFiles } from '../../src/registry/world-files/put-initial-files.ts';
import { recordChanges } from '../../src/registry/world-files/record-changes.ts';
import { listWorldDirectories } from '../../src/registry/world-files/world-directories.ts';
import { readWorldVersion } from '../../src/registry/world-files/world-version.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession, claimOf, putWorldFile, sessionInput } from '../support/registry-rows.ts';

let database: TestDatabase;
let db: Database;
/** As another replica has it. */
let otherDb: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
  otherDb = connectDatabase({ ...database.address, poolMax: 4 });
});
beforeEach(async () => {
  await database.owner.sql`truncate sessions, tenants, contents, snapshots cascade`;
});
afterAll(async () => {
  await otherDb.close();
  await database.drop();
});

const roomy = { keptSessionBytesMax: 1000, keptTenantBytesMax: 1000 };

async function content(text: string) {
  const bytes = Buffer.from(text);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await storeSmallContent(db, { id: newId('obj'), sha256, bytes });
  return { sha256, size: bytes.length };
}

/** A session with one file, and the beginning of a fork of it with a state of four bytes. */
async function forkable() {
  const { id } = await activeSession(db);
  await putWorldFile(db, { sessionId: id, path: 'a', ...(await content('123456')) });
  const { version } = await readWorldVersion(db, { sessionId: id });
  const states = [{ contextId: 'python', language: 'python', ...(await content('1234')) }];
  return { id, first: { contexts: [], states, files: { of: 'session', id, version } } satisfies FirstStates };
}

/** A snapshot of the session with its files. */
async function snapshotOf(sessionId: string) {
  const { version, count, bytes } = await readWorldVersion(db, { sessionId });
  const state = {
    language: 'python',
    ...(await content('1234')),
    manifest: null,
    files: { count, bytes, notSaved: [] },
  };
  const place = {
    contextId: 'python',
    origin: 'request',
    epoch: 1,
    contextEpoch: 1,
    executionCount: 1,
    silentCount: 0,
  } as const;
  const snapshot = { id: newId('snp'), sessionId, ...state, ...place };
  const record = () => recordSnapshot(db, { snapshot, worldVersion: version, limits: roomy });
  return { snapshot, record };
}

const counts = async () => {
  const [row] = await db.sql`
    select (select count(*) from sessions)::int as sessions, (select count(*) from snapshots)::int as snapshots,
      (select count(*) from world_files)::int as files, (select coalesce(sum(kept_bytes), 0) from tenants)::int as bytes`;
  return row;
};

test('forks begin with the states and the files, all of them or none', async () => {
  const { first } = await forkable();
  const sessions = [sessionInput(), sessionInput()];
  expect(await insertWithState(db, { sessions, first, limits: roomy })).toHaveLength(2);
  expect(await counts()).toEqual({ sessions: 3, snapshots: 2, files: 3, bytes: 26 });
  const full = { ...roomy, keptTenantBytesMax: 45 };
  const two = [sessionInput(), sessionInput()];
  await expect(insertWithState(db, { sessions: two, first, limits: full })).rejects.toThrow(/workspace-full/);
  const few = [1, 2].map(() => ({ ...sessionInput(), sessionsMax: 4 }));
  expect(await insertWithState(db, { sessions: few, first, limits: roomy })).toBe('quota-reached');
  expect(await counts()).toEqual({ sessions: 3, snapshots: 2, files: 3, bytes: 26 });
});

/** The files of the only session that is `creating`: executable ones with `*`, directories with `/`. */
async function treeOfNew(): Promise<string[]> {
  const [row] = await db.sql<{ id: string }[]>`select id from sessions where status = 'creating'`;
  const sessionId = row?.id ?? '';
  const files = await listWorldFiles(db, { sessionId });
  const directories = await listWorldDirectories(db, { sessionId });
  return [
    ...files.map(({ path, executable }) => `${path}${executable ? '*' : ''}`),
    ...directories.map((path) => `${path}/`),
  ];
}

const kept = {
  sessionId: null,
  tenant: 'acme',
  actor: 'host',
  operation: 'snapshot.keep',
  decision: 'allowed',
} as const;

test('forks and sessions from snapshots begin with the directories and the executable files', async () => {
  const { id } = await activeSession(db);
  await recordChanges(db, {
    claim: await claimOf(db, id),
    artifacts: [],
    put: [{ path: 'a/run', ...(await content('run')), executable: true }],
    remove: [],
    directories: { put: ['d', 'd/e', 'x', 'x/y'], remove: [] },
  });
  const tree = ['a/run*', 'a/', 'd/', 'd/e/', 'x/', 'x/y/'];
  const { snapshot, record } = await snapshotOf(id);
  await record();
  const named = { ...snapshot, id: newId('snp'), tenant: 'acme', name: 'a', from: { snapshotId: snapshot.id } };
  await insertNamedSnapshot(db, { ...named, limits: roomy, namedMax: 9, entry: kept });
  const { version } = await readWorldVersion(db, { sessionId: id });
  for (const files of [
    { of: 'session', id, version },
    { of: 'snapshot', id: snapshot.id, count: 1 },
    { of: 'snapshot', id: named.id, count: 1 },
  ] as const) {
    const first = { contexts: [], states: [], files };
    const session = sessionInput();
    await insertWithState(db, { sessions: [session], first, limits: roomy });
    expect(await treeOfNew()).toEqual(tree);
    const given = [
      { path: 'x', ...(await content('x')) },
      { path: 'new/file', ...(await content('x')) },
    ];
    for (let times = 0; times < 2; times++) await putInitialFiles(db, { sessionId: session.id, files: given });
    expect(await treeOfNew()).toEqual(['a/run*', 'new/file', 'x', 'a/', 'd/', 'd/e/', 'new/']);
    await db.sql`delete from sessions where id = ${session.id}`;
  }
});

test('neither a fork nor a snapshot gets files that changed after its state was captured', async () => {
  const { id, first } = await forkable();
  const { snapshot, record } = await snapshotOf(id);
  await putWorldFile(db, { sessionId: id, path: 'b', ...(await content('12')) });
  const before = await counts();
  expect(await insertWithState(db, { sessions: [sessionInput()], first, limits: roomy })).toBe('files-changed');
  expect(await record()).toBe('files-changed');
  expect(await counts()).toEqual(before);
  const { version } = await readWorldVersion(db, { sessionId: id });
  expect(await recordSnapshot(db, { snapshot, worldVersion: version, limits: roomy })).toMatchObject({ replaced: [] });
});

test('a snapshot that is deleted meanwhile starts no session and gets no name', async () => {
  const { id, first } = await forkable();
  const { snapshot, record } = await snapshotOf(id);
  await record();
  await deleteSnapshot(db, { sessionId: id, id: snapshot.id });
  const before = await counts();
  const files = { of: 'snapshot', id: snapshot.id, count: 1 } as const;
  const starting = insertWithState(db, { sessions: [sessionInput()], first: { ...first, files }, limits: roomy });
  await expect(starting).rejects.toThrow(/snapshot-refused/);
  const named = { ...snapshot, id: newId('snp'), tenant: 'acme', name: 'a', from: { snapshotId: snapshot.id } };
  await expect(insertNamedSnapshot(db, { ...named, limits: roomy, namedMax: 9, entry: kept })).rejects.toThrow(
    /snapshot-refused/,
  );
  expect(await counts()).toEqual(before);
});

test('snapshots that get names at the same time never exceed the bytes of the tenant or share a name', async () => {
  const { id } = await forkable();
  const { snapshot, record } = await snapshotOf(id);
  await record();
  const keptEntries = async () =>
    (await listTenantAudit(db, { tenant: 'acme', limit: 200 })).items.map(({ operation }) => operation);
  const before = (await keptEntries()).length;
  const keep = (at: Database, name: string, limits = roomy) =>
    insertNamedSnapshot(at, {
      ...snapshot,
      id: newId('snp'),
      tenant: 'acme',
      name,
      from: { snapshotId: snapshot.id },
      limits,
      namedMax: 9,
      entry: kept,
    }).then(
      (kept) => (kept === null ? 'taken' : 'kept'),
      () => 'full',
    );
  const same = await Promise.all([keep(db, 'same'), keep(otherDb, 'same')]);
  expect(same.toSorted()).toEqual(['kept', 'taken']);
  const limits = { ...roomy, keptTenantBytesMax: 30 };
  // Both are under way before one of them can go on.
  const others = await database.owner.transaction(async ({ sql }) => {
    await sql`select from tenants where tenant = 'acme' for update`;
    const keeping = Promise.all([keep(db, 'one', limits), keep(otherDb, 'two', limits)]);
    await eventually(async () => {
      const waiting = await db.sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      expect(waiting).toHaveLength(2);
    });
    return { keeping };
  });
  expect((await others.keeping).toSorted()).toEqual(['full', 'kept']);
  expect(await counts()).toMatchObject({ bytes: 30, snapshots: 3 });
  const deleted = { tenant: 'acme', name: 'same', entry: { ...kept, operation: 'snapshot.delete' } };
  expect([await deleteNamedSnapshot(db, deleted), await deleteNamedSnapshot(db, deleted)]).toEqual([true, false]);
  expect((await keptEntries()).slice(before)).toEqual(['snapshot.keep', 'snapshot.keep', 'snapshot.delete']);
});
