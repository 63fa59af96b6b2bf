import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { recordJobInputs } from '../../src/jobs/job-inputs.ts';
import { jobStep } from '../../src/jobs/job-step.ts';
import { listArtifacts } from '../../src/registry/artifacts/list-artifacts.ts';
import type { Database } from '../../src/registry/connect.ts';
import { endSession } from '../../src/registry/sessions/end-session.ts';
import { takeDueSessions } from '../../src/registry/sessions/take-due-sessions.ts';
import { findStep } from '../../src/registry/steps/find-step.ts';
import { insertAdmittedStep } from '../../src/registry/steps/insert-admitted-step.ts';
import { listSucceededSteps } from '../../src/registry/steps/list-succeeded-steps.ts';
import { reassignSteps } from '../../src/registry/steps/reassign-steps.ts';
import { recordSteps } from '../../src/registry/steps/record-steps.ts';
import { withdrawStep } from '../../src/registry/steps/withdraw-step.ts';
import { intentRecord } from '../../src/steps/intent-and-end.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession, storedStep } from '../support/registry-rows.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
});
beforeEach(async () => {
  await database.owner.sql`truncate sessions, steps, artifacts cascade`;
});
afterAll(() => database.drop());

const fingerprint = Buffer.alloc(32);
const ended = { epoch: 1, to: 'completed', reason: 'job_ended', ifPassed: 'jobEnded' } as const;

/** A job that was admitted for a replica without a heartbeat. */
async function admittedJob({ own = false } = {}) {
  const id = newId('job');
  const session = await activeSession(db, own ? { jobId: id } : {});
  const request = { language: 'bun' as const, code: 'console.log(1)', args: ['--fast', 'ü'], stdin: '' };
  const caller = { tenant: session.tenant, scopes: new Set<never>(), keyId: null };
  const route = { sessionId: session.id, epoch: 1 };
  const start = jobStep({ stepTimeoutMs: 5000 }, { id, caller, route, request });
  const record = intentRecord(start, { replicaId: newId('rep'), mayHaveRow: true });
  expect(await insertAdmittedStep(db, { step: record, fingerprint, admissionId: id })).toMatchObject({ number: 1 });
  return { id, sessionId: session.id, start, record };
}

const dueOnes = async () =>
  (await takeDueSessions(db, { limit: 10, deferSeconds: 0 })).map(({ id, passed }) => [id, passed]);

test('a job is admitted once, as a step without a context but with its program', async () => {
  const { id, sessionId, record } = await admittedJob();
  const job = { filename: 'main.ts', args: ['--fast', 'ü'] };
  expect(await findStep(db, { sessionId, stepId: id })).toMatchObject({
    contextId: null,
    language: 'bun',
    number: 1,
    job,
  });
  expect(await insertAdmittedStep(db, { step: record, fingerprint, admissionId: 'later' })).toBeNull();
});

test('a replica that a job is reassigned to gets its program', async () => {
  const { id, start } = await admittedJob();
  const reassigned = await reassignSteps(db, {
    replicaId: newId('rep'),
    following: [],
    unsent: [],
    staleSeconds: 5,
    limit: 10,
  });
  expect(reassigned).toMatchObject([{ id, contextId: null, job: start.job }]);
});

test('the succeeded code of a session leaves out jobs', async () => {
  const { record, sessionId } = await admittedJob();
  const now = new Date();
  await recordSteps(db, [{ ...record, status: 'succeeded', outcome: { tag: 'ok' }, startedAt: now, finishedAt: now }]);
  const { id: stepId } = await storedStep(db, { sessionId, number: 2, code: 'x = 1' });
  expect(await listSucceededSteps(db, { sessionId, epoch: 1 })).toMatchObject([{ stepId }]);
});

test('a withdrawn job leaves nothing behind, and another job stays complete', async () => {
  const [withdrawn, other] = [await admittedJob(), await admittedJob()];
  for (const { start } of [withdrawn, other]) await recordJobInputs(db, { start, inputs: await storedInput() });
  const { id, record } = withdrawn;
  expect(await withdrawStep(db, { id, replicaId: record.replicaId, admissionId: 'another' })).toBe(false);
  expect(await withdrawStep(db, { id, replicaId: record.replicaId, admissionId: id })).toBe(true);
  const left = async ({ id: stepId, sessionId }: typeof other) =>
    (await listArtifacts(db, { sessionId, stepId, limit: 10 })).items.map(({ role, path }) => [role, path]);
  expect(await findStep(db, { sessionId: withdrawn.sessionId, stepId: withdrawn.id })).toBeNull();
  expect(await left(withdrawn)).toEqual([]);
  expect(await left(other)).toEqual([['input', 'main.ts']]);
});

test('a session that was created for a job is due once the job has ended; another session is not', async () => {
  const [own, given] = [await admittedJob({ own: true }), await admittedJob()];
  expect(await dueOnes()).toEqual([]);
  expect(await endSession(db, { id: own.sessionId, ...ended })).toBeNull();
  const now = new Date();
  for (const { record } of [own, given]) await recordSteps(db, [{ ...record, status: 'failed', finishedAt: now }]);
  expect(await dueOnes()).toEqual([[own.sessionId, ['jobEnded']]]);
  expect(await endSession(db, { id: given.sessionId, ...ended })).toBeNull();
  expect(await endSession(db, { id: own.sessionId, ...ended })).toMatchObject({ status: 'completed' });
});

async function storedInput() {
  const bytes = Buffer.from('console.log(1)');
  await db.sql`
    insert into contents (id, sha256, size, store) values (${newId('obj')}, sha256(${bytes}), ${bytes.length}, 'postgres')
    on conflict do nothing`;
  return [{ path: 'main.ts', bytes }];
}
