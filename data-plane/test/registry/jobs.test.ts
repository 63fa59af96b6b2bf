import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { recordJobInputs } from '../../src/jobs/job-inputs.ts';
import { describeJob } from '../../src/jobs/job-step.ts';
import { listArtifacts } from '../../src/registry/artifacts/list-artifacts.ts';
import type { Database } from '../../src/registry/connect.ts';
import { endSession } from '../../src/registry/sessions/end-session.ts';
import { takeDueSessions } from '../../src/registry/sessions/take-due-sessions.ts';
import { findStep } from '../../src/registry/steps/find-step.ts';
import { insertAdmittedStep } from '../../src/registry/steps/insert-admitted-step.ts';
import { listSucceededCode } from '../../src/registry/steps/list-succeeded-code.ts';
import { reassignSteps } from '../../src/registry/steps/reassign-steps.ts';
import { recordSteps } from '../../src/registry/steps/record-steps.ts';
import { withdrawStep } from '../../src/registry/steps/withdraw-step.ts';
import { intentRecord } from '../../src/steps/step-record.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession, storedStep } from '../support/registry-rows.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
});
beforeEach(async () => {
  await db.sql`truncate sessions, artifacts cascade`;
});
afterAll(() => database.drop());

const fingerprint = Buffer.alloc(32);
const ended = { epoch: 1, to: 'completed', reason: 'job_ended', ifPassed: 'jobEnded' } as const;

/** A job that was admitted for a replica that gives no sign of life. */
async function admittedJob({ own = false } = {}) {
  const id = newId('job');
  const session = await activeSession(db, own ? { jobId: id } : {});
  const request = { language: 'bun' as const, code: 'console.log(1)', args: ['--fast', 'ü'], stdin: '' };
  const start = describeJob({ stepTimeoutMs: 5000 }, { id, route: { sessionId: session.id, epoch: 1 }, request });
  const record = intentRecord(start, { replicaId: newId('rep'), isKnown: true });
  expect(await insertAdmittedStep(db, { step: record, fingerprint })).toBe(1);
  return { id, sessionId: session.id, start, record };
}

const dueOnes = async () =>
  (await takeDueSessions(db, { limit: 10, deferSeconds: 0 })).map(({ id, passed }) => [id, passed]);

test('a job is admitted once, as a step without a context that says what it runs', async () => {
  const { id, sessionId, record } = await admittedJob();
  const job = { filename: 'main.ts', args: ['--fast', 'ü'] };
  expect(await findStep(db, { sessionId, stepId: id })).toMatchObject({
    contextId: null,
    language: 'bun',
    number: 1,
    job,
  });
  expect(await insertAdmittedStep(db, { step: record, fingerprint })).toBeNull();
});

test('whoever takes a job over learns what it runs', async () => {
  const { id, start } = await admittedJob();
  const taken = await reassignSteps(db, { replicaId: newId('rep'), following: [], staleSeconds: 5, limit: 10 });
  expect(taken).toMatchObject([{ id, contextId: null, job: start.job }]);
});

test('the code of jobs is no part of what made the state of a session', async () => {
  const { record, sessionId } = await admittedJob();
  const now = new Date();
  await recordSteps(db, [{ ...record, status: 'succeeded', outcome: { tag: 'ok' }, startedAt: now, finishedAt: now }]);
  await storedStep(db, { sessionId, number: 2, code: 'x = 1' });
  expect(await listSucceededCode(db, { sessionId, epoch: 1 })).toMatchObject([{ code: 'x = 1' }]);
});

test('of a job that did not start nothing is left, and of others everything', async () => {
  const [withdrawn, other] = [await admittedJob(), await admittedJob()];
  for (const { start } of [withdrawn, other]) await recordJobInputs(db, { start, inputs: await keptInput() });
  await withdrawStep(db, { id: withdrawn.id, replicaId: withdrawn.record.replicaId });
  const left = async ({ id: stepId, sessionId }: typeof other) =>
    (await listArtifacts(db, { sessionId, stepId, limit: 10 })).items.map(({ role, path }) => [role, path]);
  expect(await findStep(db, { sessionId: withdrawn.sessionId, stepId: withdrawn.id })).toBeNull();
  expect(await left(withdrawn)).toEqual([]);
  expect(await left(other)).toEqual([['input', 'main.ts']]);
});

test("a job's own session is due once the job has ended and not before; a session that was given never is", async () => {
  const [own, given] = [await admittedJob({ own: true }), await admittedJob()];
  expect(await dueOnes()).toEqual([]);
  expect(await endSession(db, { id: own.sessionId, ...ended })).toBeNull();
  const now = new Date();
  for (const { record } of [own, given]) await recordSteps(db, [{ ...record, status: 'failed', finishedAt: now }]);
  expect(await dueOnes()).toEqual([[own.sessionId, ['jobEnded']]]);
  expect(await endSession(db, { id: given.sessionId, ...ended })).toBeNull();
  expect(await endSession(db, { id: own.sessionId, ...ended })).toMatchObject({ status: 'completed' });
});

async function keptInput() {
  const bytes = Buffer.from('console.log(1)');
  await db.sql`
    insert into contents (id, sha256, size, store) values (${newId('obj')}, sha256(${bytes}), ${bytes.length}, 'postgres')
    on conflict do nothing`;
  return [{ path: 'main.ts', bytes }];
}
