import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import { afterEach, expect, test } from 'vitest';
import { connectDatabase } from '../../src/registry/connect.ts';
import { identifyDatabase, migrate, NewerSchema } from '../../src/registry/migrate.ts';
import { findStep } from '../../src/registry/steps/find-step.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession, storedStep } from '../support/registry-rows.ts';

let database: TestDatabase | undefined;
afterEach(() => database?.drop());

test('four replicas start at once on an empty database: all succeed and the migrations run once', async () => {
  database = await createTestDatabase({ template: 'template1' });
  const { address } = database;
  const replicas = [1, 2, 3, 4].map(() => connectDatabase({ ...address, poolMax: 1 }));
  const outcomes = await Promise.allSettled(replicas.map((replica) => migrate(replica)));
  await Promise.all(replicas.map((replica) => replica.close()));
  expect(outcomes.map(({ status }) => status)).toEqual(Array(4).fill('fulfilled'));
  const [row] = await database.db.sql`select count(*)::int as applied, count(distinct hash)::int as distinct
    from drizzle.__drizzle_migrations`;
  expect(row?.applied).toBe(row?.distinct);
});

test('the migrations make every column of the schema', async () => {
  const latest = new URL('../../migrations/meta/', import.meta.url);
  const journal = JSON.parse(await readFile(new URL('_journal.json', latest), 'utf8'));
  const name = `${String(journal.entries.length - 1).padStart(4, '0')}_snapshot.json`;
  const migrated = JSON.parse(await readFile(new URL(name, latest), 'utf8'));
  expect(await generateMigration(migrated, generateDrizzleJson(await wholeSchema(), migrated.id))).toEqual([]);
});

async function wholeSchema(): Promise<Record<string, unknown>> {
  const folder = new URL('../../src/registry/schema/', import.meta.url);
  const modules = (await readdir(folder)).map((name) => import(new URL(name, folder).href));
  return Object.assign({}, ...(await Promise.all(modules)));
}

test('the migration for files leaves the steps of an existing database unchanged', async () => {
  database = await createTestDatabase({ template: 'template1' });
  const { db } = database;
  const before = await migrationsUpTo('0003_configured_api_keys');
  const alone = db.connectAlone();
  await applyMigrations(drizzle(alone), { migrationsFolder: before }).finally(() => rm(before, { recursive: true }));
  await alone.end();
  await db.sql`insert into sessions (id, tenant, status, language, runtime, network, metadata, timeout_seconds, idle_timeout_seconds,
    start_deadline_at) values ('ses_1', 'acme', 'active', 'python', 'process', 'none', '{}', 60, 60, now())`;
  await db.sql`insert into steps (id, session_id, number, context_id, epoch, actor, language, code, status, events, timeout_ms, queued_at)
    values ('stp_1', 'ses_1', 1, 'python', 1, 'agent', 'python', 'x = 1', 'succeeded', 'frames', 1000, now())`;
  await migrate(db);
  expect(await findStep(db, { sessionId: 'ses_1', stepId: 'stp_1' })).toMatchObject({
    contextId: 'python',
    code: 'x = 1',
    job: null,
    events: Buffer.from('frames'),
  });
  const program = { filename: 'main.py', args: [] };
  const job = await storedStep(db, { sessionId: 'ses_1', number: 2, contextId: null, job: program });
  expect(job).toMatchObject({ contextId: null, job: program });
});

test('a database that a newer version has migrated is refused, and its running replicas go on', async () => {
  database = await createTestDatabase();
  const { db, owner } = database;
  await owner.sql`insert into drizzle.__drizzle_migrations (hash, created_at)
    values ('newer', (select max(created_at) + 1 from drizzle.__drizzle_migrations))`;
  for (const replica of [db, owner]) await expect(migrate(replica)).rejects.toThrow(NewerSchema);
  expect(await activeSession(db)).toMatchObject({ status: 'active' });
});

test('a database keeps the identity that the first of its data-planes gave it, and no other database has it', async () => {
  database = await createTestDatabase();
  const another = await createTestDatabase();
  const { db } = database;
  const [one, ...same] = await Promise.all([identifyDatabase(db), identifyDatabase(db), identifyDatabase(db)]);
  expect(new Set([...same, await identifyDatabase(db)])).toEqual(new Set([one]));
  expect(await identifyDatabase(another.db).finally(another.drop)).not.toBe(one);
});

/** A copy of the migrations without the later ones. */
async function migrationsUpTo(tag: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-migrations-'));
  await cp(new URL('../../migrations', import.meta.url), folder, { recursive: true });
  const path = join(folder, 'meta', '_journal.json');
  const journal = JSON.parse(await readFile(path, 'utf8'));
  const last = journal.entries.findIndex((entry: { tag: string }) => entry.tag === tag);
  await writeFile(path, JSON.stringify({ ...journal, entries: journal.entries.slice(0, last + 1) }));
  return folder;
}

test('connects to a Unix socket that a URL names', async () => {
  database = await createTestDatabase();
  const db = connectDatabase({ url: database.url, poolMax: 1 });
  const rows = await db.sql`select current_user as name`.finally(db.close);
  expect(rows).toMatchObject([{ name: 'holdfast_data_plane' }]);
});

test('the driver reads and takes times as dates', async () => {
  database = await createTestDatabase();
  const [row] = await database.db.sql`select ${new Date(0)}::timestamptz as time`;
  expect(row?.time).toEqual(new Date(0));
});

test('the migration for sandboxes gives each sandbox of an existing database its row', async () => {
  database = await createTestDatabase({ template: 'template1' });
  const { db } = database;
  const before = await migrationsUpTo('0005_jobs');
  const alone = db.connectAlone();
  await applyMigrations(drizzle(alone), { migrationsFolder: before }).finally(() => rm(before, { recursive: true }));
  await alone.end();
  await db.sql`insert into sessions (id, tenant, status, language, runtime, network, metadata, timeout_seconds, idle_timeout_seconds,
      start_deadline_at, ended_at, sandbox_gone_at)
    select id, 'acme', status, 'python', 'process', 'none', '{}', 60, 60, now(), ended_at, gone_at
    from (values ('ses_new', 'creating', null, null), ('ses_active', 'active', null, null),
      ('ses_ended', 'completed', now(), null), ('ses_gone', 'completed', now(), now())) as made (id, status, ended_at, gone_at)`;
  await db.sql`insert into session_routes (session_id, epoch, sandbox_name, sandbox_uid, node, endpoint, agent_public_key, token,
      token_expires_at) values ('ses_active', 1, 'warm-1', 'uid_1', 'here', 'http://127.0.0.1:1', 'key', 'sealed', now())`;
  await db.sql`insert into steps (id, session_id, number, context_id, epoch, context_epoch, actor, language, code, status, timeout_ms,
      queued_at) values ('stp_1', 'ses_active', 1, 'python', 1, 3, 'agent', 'python', 'x = 1', 'succeeded', 1000, now())`;
  await migrate(db);
  const rows = await db.sql`select session_id, epoch, name, uid, state, replica_id from sandboxes order by session_id`;
  expect([...rows]).toEqual([
    { session_id: 'ses_active', epoch: 1, name: 'warm-1', uid: 'uid_1', state: 'bound', replica_id: null },
    { session_id: 'ses_ended', epoch: 1, name: 'ses-ended-1', uid: null, state: 'fencing', replica_id: null },
    { session_id: 'ses_new', epoch: 1, name: 'ses-new-1', uid: null, state: 'launching', replica_id: null },
  ]);
  const epochs = await db.sql`select id, context_epoch_max as max from sessions where context_epoch_max > 1`;
  expect([...epochs]).toEqual([{ id: 'ses_active', max: 3 }]);
});

test('the migration for stored bytes counts the files that an existing database has', async () => {
  database = await createTestDatabase({ template: 'template1' });
  const { db } = database;
  const before = await migrationsUpTo('0012_worlds');
  const alone = db.connectAlone();
  await applyMigrations(drizzle(alone), { migrationsFolder: before }).finally(() => rm(before, { recursive: true }));
  await alone.end();
  await db.sql`insert into sessions (id, tenant, status, language, runtime, network, metadata, timeout_seconds, idle_timeout_seconds,
      start_deadline_at)
    select id, tenant, 'active', 'python', 'process', 'none', '{}', 60, 60, now()
    from (values ('ses_1', 'acme'), ('ses_2', 'acme'), ('ses_3', 'other')) as made (id, tenant)`;
  await db.sql`insert into contents (id, sha256, size, store) values ('obj_1', '\\x01', 5, 'postgres'), ('obj_2', '\\x02', 3, 's3')`;
  await db.sql`insert into world_files (session_id, path, size, sha256)
    values ('ses_1', 'a', 5, '\\x01'), ('ses_1', 'b', 5, '\\x01'), ('ses_2', 'a', 5, '\\x01')`;
  await db.sql`insert into artifacts (id, session_id, step_id, path, role, change, size, sha256, concurrent)
    values ('art_1', 'ses_1', 'stp_1', 'a', 'output', 'created', 5, '\\x01', false),
      ('art_2', 'ses_1', 'stp_1', 'c', 'output', 'created', 3, '\\x02', false),
      ('art_3', 'ses_1', 'stp_1', 'd', 'output', 'deleted', null, null, false)`;
  await migrate(db);
  const sessions = await db.sql`select session_id as id, bytes::int from session_storage order by 1`;
  expect([...sessions]).toEqual([
    { id: 'ses_1', bytes: 8 },
    { id: 'ses_2', bytes: 5 },
  ]);
  const tenants = await db.sql`select tenant, kept_bytes::int as bytes from tenants order by tenant`;
  expect([...tenants]).toEqual([{ tenant: 'acme', bytes: 13 }]);
});
