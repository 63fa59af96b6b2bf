import { afterEach, beforeEach, expect, test } from 'vitest';
import { deleteSession } from '../../src/registry/sessions/delete-session.ts';
import { endSession } from '../../src/registry/sessions/end-session.ts';
import { findSession } from '../../src/registry/sessions/find-session.ts';
import { markSandboxGone } from '../../src/registry/sessions/mark-sandbox-gone.ts';
import { purgeHistory } from '../../src/registry/sessions/purge-history.ts';
import { retentionOf } from '../../src/sessions/retention.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession } from '../support/registry-rows.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
  await recordDeletions();
});
afterEach(() => database.drop());

const tables = [
  'steps',
  'artifacts',
  'world_files',
  'world_directories',
  'snapshot_directories',
  'tombstones',
  'idempotency_keys',
];

/** Records how many rows of a table each statement deletes; what a foreign key deletes counts, too. */
async function recordDeletions(): Promise<void> {
  const { sql } = database.owner;
  await sql`create table deletions ("table" text, rows int)`;
  await sql.unsafe(`create function record_deletion() returns trigger language plpgsql as $$
    begin insert into deletions select tg_table_name, count(*) from deleted having count(*) > 0; return null; end $$`);
  for (const table of tables) {
    await sql.unsafe(`create trigger record_deletion after delete on ${table} referencing old table as deleted
      for each statement execute function record_deletion()`);
  }
}

async function deletions() {
  return await database.db.sql<{ table: string; rows: number; max: number }[]>`
    select "table", sum(rows)::int as rows, max(rows)::int as max from deletions group by 1 order by 1`;
}

async function endedSession(): Promise<{ id: string; epoch: number }> {
  const session = await activeSession(database.db);
  await endSession(database.db, { id: session.id, epoch: 1, to: 'completed', reason: 'completed_by_host' });
  await markSandboxGone(database.db, session);
  return session;
}

async function insertSteps(sessionId: string, count: number, eventsBytes = 10): Promise<void> {
  const { sql } = database.db;
  await sql`
    insert into steps (id, session_id, number, context_id, epoch, actor, language, code, status, events, timeout_ms, queued_at)
    select ${sessionId} || n, ${sessionId}, n, 'python', 1, 'agent', 'python', 'x', 'succeeded',
      decode(repeat('00', ${eventsBytes}::int), 'hex'), 1000, now()
    from generate_series(1, ${count}::int) as n`;
  await sql`update sessions set step_count = ${count} where id = ${sessionId}`;
}

async function insertFiles(sessionId: string, count: number): Promise<void> {
  const { sql } = database.db;
  await sql`insert into contents (id, sha256, size, store) values ('obj_1', '\\x00', 1, 'postgres')`;
  await sql`insert into artifacts (id, session_id, step_id, path, role, change, size, sha256, concurrent)
    select 'art_' || n, ${sessionId}, 'stp_gone', 'f' || n, 'output', 'created', 1, '\\x00', false
    from generate_series(1, ${count}::int) as n`;
  await sql`insert into world_files (session_id, path, size, sha256)
    select ${sessionId}, 'f' || n, 1, '\\x00' from generate_series(1, ${count}::int) as n`;
  await sql`insert into world_directories (session_id, path)
    select ${sessionId}, 'd' || n from generate_series(1, ${count}::int) as n`;
  await sql`insert into snapshots (id, session_id, context_id, language, origin, size, epoch, context_epoch, execution_count)
    values ('snp_1', ${sessionId}, 'python', 'python', 'request', 0, 1, 1, 1)`;
  await sql`insert into snapshot_directories (snapshot_id, path)
    select 'snp_1', 'd' || n from generate_series(1, ${count}::int) as n`;
}

test('a session with a long history is deleted in portions', async () => {
  const { id } = await endedSession();
  await insertSteps(id, 1800);
  await insertFiles(id, 2500);
  expect(await deleteSession(database.db, { id })).toBe(true);
  expect(await findSession(database.db, { id })).toBeNull();
  expect(await deletions()).toEqual([
    { table: 'artifacts', rows: 2500, max: 1000 },
    { table: 'snapshot_directories', rows: 2500, max: 1000 },
    { table: 'steps', rows: 1800, max: 500 },
    { table: 'world_directories', rows: 2500, max: 1000 },
    { table: 'world_files', rows: 2500, max: 1000 },
  ]);
});

test('steps with much output are deleted in portions of few', async () => {
  const { id } = await endedSession();
  await insertSteps(id, 12, 8 * 1024 * 1024);
  expect(await deleteSession(database.db, { id })).toBe(true);
  expect(await deletions()).toEqual([{ table: 'steps', rows: 12, max: 4 }]);
});

test('a purge of a session beyond its cap, and of what has outlived its retention, goes in portions', async () => {
  const { db } = database;
  const capped = await activeSession(db);
  await insertSteps(capped.id, 1300);
  await db.sql`insert into tombstones (session_id, tenant, deleted_at)
    select 'ses_' || n, 't', now() - interval '1001 seconds' from generate_series(1, 4500) as n`;
  await db.sql`insert into idempotency_keys (tenant, key, fingerprint, resource_id, created_at)
    select 't', 'key' || n, '', 'x', now() - interval '25 hours' from generate_series(1, 4500) as n`;
  const limits = retentionOf({
    stepsPerSessionMax: 100,
    bytesPerSessionMax: 2 ** 40,
    bytesPerTenantMax: 2 ** 40,
    retentionSeconds: 1000,
  });
  const purged = await purgeHistory(db, limits);
  expect(purged).toEqual({ steps: 1200, sessions: 0, tombstones: 4500, idempotencyKeys: 4500 });
  expect((await findSession(db, { id: capped.id }))?.purgedStepNumber).toBe(1200);
  expect(await deletions()).toEqual([
    { table: 'idempotency_keys', rows: 4500, max: 2000 },
    { table: 'steps', rows: 1200, max: 500 },
    { table: 'tombstones', rows: 4500, max: 2000 },
  ]);
});

test('a purge that is interrupted says truly how far it came', async () => {
  const { db } = database;
  const capped = await activeSession(db);
  await insertSteps(capped.id, 1300);
  await database.owner.sql.unsafe(`create function fail_late() returns trigger language plpgsql as $$
    begin if old.number > 500 then raise 'interrupted'; end if; return old; end $$`);
  await database.owner.sql`create trigger fail_late before delete on steps for each row execute function fail_late()`;
  const limits = retentionOf({
    stepsPerSessionMax: 100,
    bytesPerSessionMax: 2 ** 40,
    bytesPerTenantMax: 2 ** 40,
    retentionSeconds: 1000,
  });
  await expect(purgeHistory(db, limits)).rejects.toThrow('interrupted');
  const [left] = await db.sql`select min(number) as first from steps where session_id = ${capped.id}`;
  expect(left).toEqual({ first: 501 });
  expect((await findSession(db, { id: capped.id }))?.purgedStepNumber).toBe(500);
});
