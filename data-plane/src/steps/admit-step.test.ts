import { newId, policyPresets } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import type { Database } from '../registry/connect.ts';
import type { StepRecord } from '../registry/steps/record-steps.ts';
import { createAdmissions } from './admissions.ts';
import { type AdmitDependencies, type AdmittedStep, admitStep, refuseUnlessRecording } from './admit-step.ts';
import type { StepStart } from './live-step.ts';

const route = { hasBudget: false, hasWebhooks: false, policy: null, policyRevision: 0 };

const start: StepStart = {
  id: newId('stp'),
  sessionId: newId('ses'),
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

/** A recorder that has written the intent already or not, and a database that notes its statements. */
function admitting({ isWritten = false } = {}) {
  const intents: StepRecord[] = [];
  const statements: string[] = [];
  const written = Promise.withResolvers<number>();
  const sql = async (text: TemplateStringsArray) => {
    statements.push(text.join('?'));
    return [];
  };
  const db = { sql, transaction: (work: (tx: Database) => unknown) => work(db) } as unknown as Database;
  const deps = {
    db,
    admissions: createAdmissions({ db, replicaId: 'rep_0' }),
    recorder: {
      intent: (row: StepRecord) => {
        intents.push(row);
        return written.promise;
      },
      withdraw: () => !isWritten,
    },
    replicaId: 'rep_0',
  } as unknown as AdmitDependencies;
  return { deps, intents, statements, written };
}

test('answers go at once for a plain step, and has its intent written meanwhile', async () => {
  const { deps, intents, statements, written } = admitting();
  const admission = admitStep(deps, { start, tenant: 'acme', fingerprint: null, route }) as AdmittedStep;
  expect(admission.kind).toBe('go');
  expect(intents).toEqual([admission.intent]);
  expect(admission.intent).toMatchObject({ ...start, replicaId: 'rep_0', status: 'running', mayHaveRow: false });
  written.resolve(7);
  expect(await admission.recorded).toBe(7);
  expect(statements).toEqual([]);
});

test('withdraws an intent that was not written without a query', async () => {
  const { deps, statements } = admitting();
  const admission = admitStep(deps, { start, tenant: 'acme', fingerprint: null, route }) as AdmittedStep;
  await admission.withdraw();
  expect(statements).toEqual([]);
});

test('deletes the row of an intent only after it was written', async () => {
  const { deps, statements, written } = admitting({ isWritten: true });
  const admission = admitStep(deps, { start, tenant: 'acme', fingerprint: null, route }) as AdmittedStep;
  const withdrawn = admission.withdraw();
  await Promise.resolve();
  expect(statements).toEqual([]);
  written.resolve(7);
  await withdrawn;
  expect(statements).toEqual([expect.stringContaining('delete from steps')]);
});

test.each([
  [{ isDraining: () => true, recorder: { healthy: true } }, 'draining'],
  [{ isDraining: () => false, recorder: { healthy: false } }, 'database-unavailable'],
])('refuses a step whose end could not be recorded: %#', (deps, slug) => {
  expect(() => refuseUnlessRecording(deps)).toThrow(expect.objectContaining({ slug }));
});

test.each([
  ['a policy', { ...route, policy: policyPresets['safe-edit'] }],
  ['a budget', { ...route, hasBudget: true }],
  ['webhooks', { ...route, hasWebhooks: true }],
])('lets no step of a session with %s go before the registry has admitted it', (_, restricted) => {
  const { deps, intents } = admitting();
  const admission = admitStep(deps, { start, tenant: 'acme', fingerprint: null, route: restricted });
  expect(admission).toBeInstanceOf(Promise);
  (admission as Promise<unknown>).catch(() => {});
  expect(intents).toEqual([]);
});
