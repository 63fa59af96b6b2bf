import { newId } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findStep } from '../../src/registry/steps/find-step.ts';
import { recordSteps } from '../../src/registry/steps/record-steps.ts';
import { createAdmissions } from '../../src/steps/admissions.ts';
import { type AdmitDependencies, admitStep } from '../../src/steps/admit-step.ts';
import type { StepStart } from '../../src/steps/live-step.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { activeSession } from '../support/registry-rows.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const tenant = 'acme';
const fingerprint = Buffer.alloc(32, 'one');
const route = { hasBudget: false, hasWebhooks: false, policy: null, policyRevision: 0 };

async function admitting() {
  const { id: sessionId } = await activeSession(database.db);
  const start: StepStart = {
    id: newId('stp'),
    sessionId,
    contextId: 'python',
    language: 'python',
    code: '1',
    job: null,
    actor: 'agent',
    keyId: null,
    actorName: null,
    epoch: 1,
    timeoutMs: 1000,
    queuedAt: new Date(),
  };
  const replicaId = newId('rep');
  const deps = {
    db: database.db,
    replicaId,
    admissions: createAdmissions({ db: database.db, replicaId }),
    liveSteps: new Map(),
    onRecorded: () => {},
    agents: {},
    routes: { find: async () => null },
  } as unknown as AdmitDependencies;
  const admit = (given: Partial<StepStart> = {}, as = fingerprint) =>
    admitStep(deps, { start: { ...start, ...given }, tenant, fingerprint: as, route });
  const row = () => findStep(database.db, { sessionId, stepId: start.id });
  return { start, admit, row };
}

async function admitted({ admit }: Awaited<ReturnType<typeof admitting>>) {
  const admission = await admit();
  if (admission.kind !== 'admitted') throw new Error(`the answer is ${admission.kind}`);
  return admission;
}

test('a step with a fingerprint has its row before the answer', async () => {
  const step = await admitting();
  const { intent } = await admitted(step);
  expect(intent.mayHaveRow).toBe(true);
  expect(await step.row()).toMatchObject({ number: 1, status: 'queued', fingerprint, replicaId: intent.replicaId });
});

test('a repeat gets the step of the first request, once that has ended', async () => {
  const step = await admitting();
  const { intent } = await admitted(step);
  await expect(step.admit()).rejects.toMatchObject({ slug: 'idempotency-conflict' });
  const ended = { ...intent, status: 'succeeded' as const, outcome: { tag: 'ok' as const }, finishedAt: new Date() };
  await recordSteps(database.db, [ended]);
  expect(await step.admit()).toMatchObject({ kind: 'repeated', live: { id: step.start.id, finished: { number: 1 } } });
  const other = step.admit({}, Buffer.alloc(32, 'two'));
  await expect(other).rejects.toMatchObject({ slug: 'idempotency-mismatch' });
});

test('one of several requests at once is admitted', async () => {
  const { admit } = await admitting();
  const answers = await Promise.allSettled(Array.from({ length: 8 }, () => admit()));
  const kinds = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.kind : answer.reason.slug));
  expect(kinds.toSorted()).toEqual(['admitted', ...Array(7).fill('idempotency-conflict')]);
});

test('a step that is withdrawn leaves no row, and its id is free again', async () => {
  const step = await admitting();
  const { withdraw } = await admitted(step);
  await withdraw();
  expect(await step.row()).toBeNull();
  expect((await admitted(step)).kind).toBe('admitted');
});

test('a step of an earlier epoch, or of a session that has ended, is not admitted', async () => {
  const { start, admit, row } = await admitting();
  await expect(admit({ epoch: 2 })).rejects.toMatchObject({ slug: 'sandbox-unreachable' });
  await database.db.sql`update sessions set status = 'completed' where id = ${start.sessionId}`;
  await expect(admit()).rejects.toMatchObject({ slug: 'session-ended' });
  expect(await row()).toBeNull();
});
