import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { connectDatabase, type Database } from '../../src/registry/connect.ts';
import { purgeHistory } from '../../src/registry/sessions/purge-history.ts';
import { insertAdmittedStep } from '../../src/registry/steps/insert-admitted-step.ts';
import { recordSteps, type StepRecord } from '../../src/registry/steps/record-steps.ts';
import { withdrawStep } from '../../src/registry/steps/withdraw-step.ts';
import { retentionOf } from '../../src/sessions/retention.ts';
import { intentRecord } from '../../src/steps/intent-and-end.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession } from '../support/registry-rows.ts';

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
  await database.owner.sql`truncate sessions, steps cascade`;
});
afterAll(async () => {
  await otherDb.close();
  await database.drop();
});

const code = 'x = "é"';
const codeBytes = Buffer.byteLength(code);

function intent(sessionId: string, { mayHaveRow = false } = {}): StepRecord {
  const start = { id: newId('stp'), sessionId, contextId: 'python', language: 'python', code, job: null } as const;
  const more = {
    actor: 'agent',
    actorName: null,
    keyId: null,
    epoch: 1,
    timeoutMs: 1000,
    queuedAt: new Date(),
  } as const;
  return intentRecord({ ...start, ...more }, { replicaId: 'rep', mayHaveRow });
}

const ended = (step: StepRecord, bytes: number, mayHaveRow = false): StepRecord => ({
  ...step,
  mayHaveRow,
  status: 'succeeded',
  outcome: { tag: 'ok' },
  finishedAt: new Date(),
  events: Buffer.alloc(bytes),
});

/** The bytes that are counted and those that are there, by session. */
async function bytesOf(...sessionIds: string[]): Promise<[number, number][]> {
  const rows = await db.sql<{ id: string; counted: number; there: number }[]>`
    select id, history_bytes::float8 as counted, (
      select coalesce(sum(octet_length(code) + coalesce(octet_length(events), 0)), 0)::float8 from steps where session_id = sessions.id
    ) as there
    from sessions`;
  return sessionIds.map((sessionId) => {
    const row = rows.find(({ id }) => id === sessionId);
    return [row?.counted ?? -1, row?.there ?? -2];
  });
}

const numbersOf = async (sessionId: string) =>
  (await db.sql<{ number: number }[]>`select number from steps where session_id = ${sessionId} order by number`).map(
    ({ number }) => number,
  );

const limits = { stepsPerSessionMax: 1000, bytesPerSessionMax: 2 ** 40, bytesPerTenantMax: 2 ** 40 };
const purge = (from: Database, given: Partial<typeof limits>) =>
  purgeHistory(from, retentionOf({ ...limits, ...given, retentionSeconds: 1000 }));

/** A session with ended steps of a kilobyte each. */
async function sessionWithSteps(count: number, tenant = 'acme'): Promise<string> {
  const { id } = await activeSession(db, { tenant });
  for (let made = 0; made < count; made++) await recordSteps(db, [ended(intent(id), 1024 - codeBytes)]);
  return id;
}

test('every way of writing a step counts its bytes', async () => {
  const [{ id: a }, { id: b }] = [await activeSession(db), await activeSession(db)];
  await recordSteps(db, [ended(intent(a), 100)]);
  const apart = intent(a);
  await recordSteps(db, [apart]);
  await recordSteps(db, [ended(apart, 200, true)]);
  await recordSteps(db, [ended(apart, 300, true)]);
  const [open, late] = [intent(a), intent(b)];
  await recordSteps(db, [open, late, ended(intent(a), 1000), ended(intent(b), 2000)]);
  await recordSteps(db, [ended(open, 10, true), ended(late, 20, true), ended(intent(b), 30)]);
  const admitted = intent(b, { mayHaveRow: true });
  await insertAdmittedStep(db, { step: admitted, fingerprint: Buffer.alloc(32), admissionId: 'adm' });
  await recordSteps(db, [ended(admitted, 3, true)]);
  const withdrawn = intent(b, { mayHaveRow: true });
  await insertAdmittedStep(db, { step: withdrawn, fingerprint: Buffer.alloc(32), admissionId: 'adm' });
  await withdrawStep(db, { id: withdrawn.id, replicaId: 'rep', admissionId: 'adm' });
  expect(await bytesOf(a, b)).toEqual([
    [1310 + 4 * codeBytes, 1310 + 4 * codeBytes],
    [2053 + 4 * codeBytes, 2053 + 4 * codeBytes],
  ]);
});

test('a session with too many bytes loses its oldest steps, until an unfinished one', async () => {
  const sessionId = await sessionWithSteps(6);
  const running = intent(sessionId);
  await recordSteps(db, [running]);
  await recordSteps(db, [ended(intent(sessionId), 5000)]);
  await purge(db, { bytesPerSessionMax: 4 * 1024 + codeBytes + 5000 + codeBytes });
  expect(await numbersOf(sessionId)).toEqual([3, 4, 5, 6, 7, 8]);
  await purge(db, { bytesPerSessionMax: 1 });
  expect(await numbersOf(sessionId)).toEqual([7, 8]);
  const [[counted, there]] = (await bytesOf(sessionId)) as [[number, number]];
  expect(counted).toBe(there);
  await recordSteps(db, [ended(running, 0, true)]);
  await purge(db, { bytesPerSessionMax: 1 });
  expect(await bytesOf(sessionId)).toEqual([[0, 0]]);
});

test('a tenant with too many bytes loses steps of its idlest sessions, another tenant none', async () => {
  const [idle, busy] = [await sessionWithSteps(3), await sessionWithSteps(3)];
  const other = await sessionWithSteps(9, 'other');
  await db.sql`update sessions set last_activity_at = now() - interval '1 hour' where id = ${idle}`;
  await purge(db, { bytesPerTenantMax: 10 * 1024 });
  expect(await numbersOf(idle)).toEqual([1, 2, 3]);
  await purge(db, { bytesPerTenantMax: 5 * 1024 });
  expect(await Promise.all([idle, busy].map(numbersOf))).toEqual([
    [2, 3],
    [1, 2, 3],
  ]);
  await db.sql`update sessions set last_activity_at = now()`;
  await db.sql`delete from sessions where id = ${other}`;
  await purge(db, { bytesPerTenantMax: 1 });
  expect(await bytesOf(idle, busy)).toEqual([
    [0, 0],
    [0, 0],
  ]);
});

test('two replicas that purge while steps are written lose no byte of the count', async () => {
  const sessionIds = [await sessionWithSteps(20), await sessionWithSteps(20)] as const;
  const writing = sessionIds.map(async (sessionId) => {
    for (let made = 0; made < 20; made++) await recordSteps(db, [ended(intent(sessionId), 1024 - codeBytes)]);
  });
  const purging = [db, otherDb].map(async (from) => {
    for (let times = 0; times < 10; times++) await purge(from, { bytesPerSessionMax: 5 * 1024 });
  });
  await Promise.all([...writing, ...purging]);
  await purge(db, { bytesPerSessionMax: 5 * 1024 });
  expect(await bytesOf(...sessionIds)).toEqual([
    [5 * 1024, 5 * 1024],
    [5 * 1024, 5 * 1024],
  ]);
});
