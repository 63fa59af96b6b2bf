import { createHash } from 'node:crypto';
import { artifactIdFor, newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type NewArtifact, recordArtifacts } from '../../src/registry/artifacts/record-artifacts.ts';
import { connectDatabase, type Database } from '../../src/registry/connect.ts';
import { storeSmallContent } from '../../src/registry/contents/store-small-content.ts';
import { registerReplica } from '../../src/registry/replicas/register-replica.ts';
import { deleteSession } from '../../src/registry/sessions/delete-session.ts';
import { endSession } from '../../src/registry/sessions/end-session.ts';
import { markSandboxGone } from '../../src/registry/sessions/mark-sandbox-gone.ts';
import { purgeHistory } from '../../src/registry/sessions/purge-history.ts';
import { insertAdmittedStep } from '../../src/registry/steps/insert-admitted-step.ts';
import { recordSteps } from '../../src/registry/steps/record-steps.ts';
import { withdrawStep } from '../../src/registry/steps/withdraw-step.ts';
import { correctKeptBytes } from '../../src/registry/tenants/correct-kept-bytes.ts';
import { lockTenant } from '../../src/registry/tenants/lock-tenant.ts';
import { readRoom } from '../../src/registry/tenants/read-room.ts';
import { claimWorld, type WorldClaim } from '../../src/registry/world-files/claim-world.ts';
import { listReplaceableFiles } from '../../src/registry/world-files/list-replaceable-files.ts';
import { moveWorldFiles } from '../../src/registry/world-files/move-world-files.ts';
import { putInitialFiles } from '../../src/registry/world-files/put-initial-files.ts';
import { recordChanges } from '../../src/registry/world-files/record-changes.ts';
import { releaseWorld } from '../../src/registry/world-files/release-world.ts';
import { removeWorldFiles } from '../../src/registry/world-files/remove-world-files.ts';
import { reserveRoom } from '../../src/registry/world-files/reserve-room.ts';
import { retentionOf } from '../../src/sessions/retention.ts';
import { intentRecord } from '../../src/steps/intent-and-end.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession, claimOf, creatingSession, putWorldFile, storedStep } from '../support/registry-rows.ts';

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
  await database.owner.sql`truncate sessions, steps, tenants, contents cascade`;
});
afterAll(async () => {
  await otherDb.close();
  await database.drop();
});

const content = async (text: string) => {
  const bytes = Buffer.from(text);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await storeSmallContent(db, { id: newId('obj'), sha256, bytes });
  return { sha256, size: bytes.length };
};

async function artifact(path: string, text: string, stepId = newId('stp')): Promise<NewArtifact> {
  const more = { change: 'created', mimeType: null, concurrent: false, omission: null } as const;
  const id = artifactIdFor(stepId, 'output', path);
  return { id, stepId, path, role: 'output', ...more, ...(await content(text)) };
}

const put = async (sessionId: string, path: string, text: string) =>
  await putWorldFile(db, { sessionId, path, ...(await content(text)) });

const recorded = async (sessionId: string, ...artifacts: Promise<NewArtifact>[]) =>
  await recordArtifacts(db, { sessionId, artifacts: await Promise.all(artifacts) });

/** The bytes that are counted for a session, and those of the contents that it refers to. */
async function bytesOf(sessionId: string): Promise<[counted: number, there: number]> {
  const [row] = await db.sql<{ counted: number; there: number }[]>`
    select coalesce((select bytes from session_storage where session_id = sessions.id), 0)::float8 as counted, (
      select coalesce(sum(c.size), 0)::float8 from contents c where exists (
        select from artifacts where sha256 = c.sha256 and session_id = sessions.id
      ) or exists (select from world_files where sha256 = c.sha256 and session_id = sessions.id)
    ) as there
    from sessions where id = ${sessionId}`;
  return [row?.counted ?? -1, row?.there ?? -2];
}

/** The bytes that are counted for each tenant, and the sum of its sessions. */
async function tenants(): Promise<Record<string, [counted: number, sum: number]>> {
  const rows = await db.sql<{ tenant: string; counted: number; sum: number }[]>`
    select tenant, kept_bytes::float8 as counted,
      (select coalesce(sum(bytes), 0)::float8 from session_storage where tenant = tenants.tenant) as sum
    from tenants order by tenant`;
  return Object.fromEntries(rows.map(({ tenant, counted, sum }) => [tenant, [counted, sum]]));
}

const retention = { stepsPerSessionMax: 1, bytesPerSessionMax: 2 ** 40, bytesPerTenantMax: 2 ** 40 };

test('every way of changing what a session refers to counts each content once for the session', async () => {
  const { id, tenant } = await activeSession(db);
  const seen: number[] = [];
  const look = async () => {
    const [counted, there] = await bytesOf(id);
    expect([counted, await tenants()]).toEqual([there, { [tenant]: [there, there] }]);
    seen.push(there);
  };
  await put(id, 'd/a', '12345');
  await look();
  await recorded(id, artifact('x', '12345'), artifact('y', '123'));
  await look();
  await put(id, 'd/a', '1234567');
  await look();
  await put(id, 'b', 'twelve bytes');
  await moveWorldFiles(db, { claim: await claimOf(db, id), from: 'd/a', to: 'b' });
  await look();
  await removeWorldFiles(db, { claim: await claimOf(db, id), path: 'b' });
  await look();
  const steps = [
    await storedStep(db, { sessionId: id, number: 1 }),
    await storedStep(db, { sessionId: id, number: 2 }),
  ];
  await db.sql`update sessions set step_count = 2 where id = ${id}`;
  await recorded(id, artifact('z', 'a kilobyte', steps[0]?.id), artifact('z', 'kept', steps[1]?.id));
  await look();
  await purgeHistory(db, retentionOf({ ...retention, retentionSeconds: 1000 }));
  await look();
  expect(seen).toEqual([5, 8, 15, 15, 8, 22, 12]);
});

test('the first files of a session are counted, and so is the withdrawal of a job with its inputs', async () => {
  const { id, tenant } = await creatingSession(db);
  const files = [{ path: 'a', ...(await content('first')) }];
  for (let times = 0; times < 2; times++) await putInitialFiles(db, { sessionId: id, files });
  expect([await bytesOf(id), await tenants()]).toEqual([[5, 5], { [tenant]: [5, 5] }]);
  const jobId = newId('job');
  const start = { id: jobId, sessionId: id, contextId: null, language: 'bash', code: 'x', job: null } as const;
  const more = {
    actor: 'agent',
    actorName: null,
    keyId: null,
    epoch: 1,
    timeoutMs: 1000,
    queuedAt: new Date(),
  } as const;
  const step = intentRecord({ ...start, ...more }, { replicaId: 'rep', mayHaveRow: true });
  await db.sql`update sessions set status = 'active' where id = ${id}`;
  await insertAdmittedStep(db, { step, fingerprint: Buffer.alloc(32), admissionId: 'adm' });
  await recorded(id, artifact('main.sh', 'the program', jobId));
  expect(await bytesOf(id)).toEqual([16, 16]);
  await withdrawStep(db, { id: jobId, replicaId: 'rep', admissionId: 'adm' });
  expect([await bytesOf(id), await tenants()]).toEqual([[5, 5], { [tenant]: [5, 5] }]);
});

test('a content that several sessions refer to counts for each, and a tenant gets room back with each deleted session', async () => {
  const [one, other] = [await activeSession(db), await activeSession(db)];
  const third = await activeSession(db, { tenant: 'other' });
  for (const { id } of [one, other, third]) await put(id, 'a', 'the same');
  expect(await tenants()).toEqual({ acme: [16, 16], other: [8, 8] });
  await endSession(db, { id: one.id, epoch: 1, to: 'completed', reason: 'completed_by_host' });
  await markSandboxGone(db, one);
  expect(await tenants()).toEqual({ acme: [16, 16], other: [8, 8] });
  expect(await deleteSession(db, { id: one.id })).toBe(true);
  expect(await tenants()).toEqual({ acme: [8, 8], other: [8, 8] });
  await endSession(db, { id: other.id, epoch: 1, to: 'completed', reason: 'completed_by_host' });
  await markSandboxGone(db, other);
  await db.sql`update sessions set ended_at = now() - interval '1001 seconds' where id = ${other.id}`;
  await purgeHistory(db, retentionOf({ ...retention, retentionSeconds: 1000 }));
  expect(await tenants()).toEqual({ acme: [0, 0], other: [8, 8] });
});

test('a change that waited for another one counts what that one has written', async () => {
  const { id, tenant } = await activeSession(db);
  await put(id, 'a', '12345');
  const [recording, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const artifacts = [await artifact('b', '123')];
  const held = db.transaction(async (tx) => {
    await recordArtifacts(tx, { sessionId: id, artifacts });
    recording.resolve();
    await goOn.promise;
  });
  await recording.promise;
  const removing = removeWorldFiles(otherDb, { claim: await claimOf(db, id), path: 'a' });
  await eventually(async () => {
    const waiting = await db.sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    expect(waiting).toHaveLength(1);
  });
  goOn.resolve();
  await Promise.all([held, removing]);
  expect([await bytesOf(id), await tenants()]).toEqual([[3, 3], { [tenant]: [3, 3] }]);
});

test('a step is recorded while the files of its session, and those of its tenant, are being counted', async () => {
  const { id } = await activeSession(db);
  const artifacts = [await artifact('b', '123')];
  await db.transaction(async (tx) => {
    await recordArtifacts(tx, { sessionId: id, artifacts });
    const step = await storedStep(otherDb, {
      sessionId: id,
      number: 1,
      status: 'running',
      replicaId: 'r',
      finishedAt: null,
    });
    const ended = { ...step, replicaId: 'r', status: 'succeeded' as const, finishedAt: new Date(), mayHaveRow: true };
    expect(await recordSteps(otherDb, [ended])).toEqual(new Map([[step.id, 1]]));
  });
});

test('a write does not wait for good for the lock of a tenant', async () => {
  const { tenant } = await activeSession(db);
  await db.transaction(async (tx) => {
    await lockTenant(tx, { tenant });
    const waiting = otherDb.transaction((other) => lockTenant(other, { tenant }));
    const keepOpen = setInterval(() => void tx.sql`select 1`.execute(), 500);
    await expect(waiting).rejects.toMatchObject({ code: '55P03' });
    clearInterval(keepOpen);
  });
});

test('two replicas that write, purge and delete at the same time count every byte exactly', async () => {
  const sessions = await Promise.all(Array.from({ length: 4 }, () => activeSession(db)));
  const doomed = await Promise.all(Array.from({ length: 4 }, () => activeSession(db)));
  for (const session of doomed) {
    await put(session.id, 'a', 'doomed');
    await endSession(db, { id: session.id, epoch: 1, to: 'completed', reason: 'completed_by_host' });
    await markSandboxGone(db, session);
  }
  const work = [db, otherDb].flatMap((from, replica) =>
    sessions.map(async ({ id }, index) => {
      for (let round = 0; round < 60; round++) {
        const stepId = newId('stp');
        const artifacts = [await artifact('o', `${replica} ${index} ${'x'.repeat(round)}`, stepId)];
        await recordArtifacts(from, { sessionId: id, artifacts });
        await storedStep(from, { sessionId: id, number: 2 * round + replica + 1, id: stepId });
        await from.sql`update sessions set step_count = greatest(step_count, ${2 * round + replica + 1}::int) where id = ${id}`;
        await purgeHistory(from, retentionOf({ ...retention, stepsPerSessionMax: 5, retentionSeconds: 1000 }));
      }
    }),
  );
  const puts = sessions.map(async ({ id }, index) => {
    for (let round = 0; round < 12; round++) await put(id, 'w', 'w'.repeat(index * 100 + round));
  });
  const late = doomed.map(async ({ id }) => {
    for (let round = 0; round < 60; round++) await recorded(id, artifact('late', `${round}`));
  });
  const deletions = doomed.map(({ id }, index) => deleteSession(index % 2 ? db : otherDb, { id }));
  await Promise.all([...work, ...puts, ...late, ...deletions]);
  const counts = await Promise.all(sessions.map(({ id }) => bytesOf(id)));
  expect(counts.map(([counted]) => counted)).toEqual(counts.map(([, there]) => there));
  const sum = counts.reduce((total, [, there]) => total + there, 0);
  expect([sum > 0, await tenants()]).toEqual([true, { acme: [sum, sum] }]);
});

test('a tenant whose bytes were counted wrongly is corrected, while its sessions write', async () => {
  const { id } = await activeSession(db);
  await put(id, 'a', '12345');
  await db.sql`update tenants set kept_bytes = 99`;
  await db.sql`insert into tenants (tenant, kept_bytes) values ('gone', 7)`;
  const writing = (async () => {
    for (let round = 0; round < 20; round++) await put(id, 'a', 'x'.repeat(round + 1));
  })();
  for (let times = 0; times < 20; times++) await correctKeptBytes(otherDb);
  await writing;
  expect(await tenants()).toEqual({ acme: [20, 20], gone: [0, 0] });
});

async function liveReplica(): Promise<string> {
  const id = newId('rep');
  await registerReplica(db, { id, slot: id });
  await db.sql`update replicas set heartbeat_at = now() + interval '1 hour' where id = ${id}`;
  return id;
}

test('reserved bytes count for the other sessions of a tenant until the write ends or its replica is gone', async () => {
  const [writing, reading] = [await activeSession(db), await activeSession(db)];
  const replicaId = await liveReplica();
  const limits = { keptSessionBytesMax: 60, keptTenantBytesMax: 100 };
  const claim = async () =>
    (await claimWorld(db, { sessionId: writing.id, writer: newId('rep'), replicaId })) as WorldClaim;
  const roomOf = ({ id }: { id: string }, tenant = 'acme') => readRoom(otherDb, { tenant, sessionId: id, limits });
  const first = await claim();
  await reserveRoom(db, { claim: first, bytes: 30 });
  await reserveRoom(db, { claim: first, bytes: 40 });
  expect(await roomOf(reading)).toEqual({ session: 60, tenant: 60, reserved: 0 });
  expect(await roomOf(writing)).toEqual({ session: 60, tenant: 100, reserved: 40 });
  expect(await roomOf({ id: newId('ses') }, 'other')).toEqual({ session: 60, tenant: 100, reserved: 0 });
  await releaseWorld(db, first);
  await reserveRoom(db, { claim: first, bytes: 40 });
  expect(await roomOf(reading)).toEqual({ session: 60, tenant: 100, reserved: 0 });
  const second = await claim();
  await reserveRoom(db, { claim: second, bytes: 40 });
  const file = { path: 'a', ...(await content('12345')) };
  await recordChanges(db, { claim: second, artifacts: [], put: [file], remove: [] });
  expect(await roomOf(reading)).toEqual({ session: 60, tenant: 95, reserved: 0 });
  expect(await roomOf(writing)).toEqual({ session: 55, tenant: 95, reserved: 0 });
  await reserveRoom(db, { claim: await claim(), bytes: 50 });
  expect(await roomOf(reading)).toEqual({ session: 60, tenant: 45, reserved: 0 });
  await db.sql`update replicas set heartbeat_at = now() - interval '1 hour' where id = ${replicaId}`;
  expect(await roomOf(reading)).toEqual({ session: 60, tenant: 95, reserved: 0 });
});

test('a file can be replaced for its bytes only if nothing else in the session has its content', async () => {
  const [{ id }, { id: other }] = [await activeSession(db), await activeSession(db)];
  await put(other, 'a', 'alone');
  for (const [path, text] of [
    ['a', 'alone'],
    ['b', 'twice'],
    ['c', 'twice'],
    ['d', 'recorded'],
  ] as const)
    await put(id, path, text);
  await recorded(id, artifact('d', 'recorded'));
  const found = await listReplaceableFiles(db, { sessionId: id, paths: ['a', 'b', 'c', 'd', 'e'] });
  expect([...found]).toEqual([['a', 5]]);
});
