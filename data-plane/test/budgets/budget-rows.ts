import { newId } from '@holdfast/specs/public';
import { type BudgetRow, findBudgets, type Limits } from '../../src/registry/budgets/find-budgets.ts';
import type { Database } from '../../src/registry/connect.ts';
import type { SessionRow } from '../../src/registry/schema/sessions.ts';
import { findSession } from '../../src/registry/sessions/find-session.ts';
import { insertAdmittedStep } from '../../src/registry/steps/insert-admitted-step.ts';
import { recordSteps, type StepRecord } from '../../src/registry/steps/record-steps.ts';
import { intentRecord } from '../../src/steps/intent-and-end.ts';
import { activeSession } from '../support/registry-rows.ts';

const noLimits: Limits = { iterations: null, timeMs: null, tokens: null, cost: null };

/** An active session with a budget of its own. */
export async function sessionWithBudget(db: Database, limits: Partial<Limits> = {}): Promise<SessionRow> {
  return await activeSession(db, { budget: { id: newId('bud'), limits: { ...noLimits, ...limits } } });
}

/** A session that shares the budget of another one. */
export const sessionSharing = async (db: Database, { budgetOf }: SessionRow): Promise<SessionRow> =>
  await activeSession(db, { budget: { id: budgetOf ?? '', limits: null } });

export async function budgetOf(db: Database, session: SessionRow): Promise<BudgetRow> {
  const [budget] = await findBudgets(db, [session.budgetOf ?? '']);
  if (!budget) throw new Error('the budget is gone');
  return budget;
}

export const statusOf = async (db: Database, { id }: SessionRow) => (await findSession(db, { id }))?.status;

type Wanted = { timeoutMs?: number; replicaId?: string; iterations?: number; policyRevision?: number };

/** A step of the session as it is recorded, if its budget allows it; otherwise null. */
export async function admit(
  db: Database,
  { id: sessionId, epoch }: SessionRow,
  { timeoutMs = 1000, replicaId = 'rep', iterations = 1, policyRevision }: Wanted = {},
): Promise<(StepRecord & { admissionId: string }) | null> {
  const start = { id: newId('stp'), sessionId, contextId: 'python', language: 'python', code: '1', job: null } as const;
  const sent = { actor: 'agent', keyId: null, actorName: null, epoch, timeoutMs, queuedAt: new Date() } as const;
  const step = intentRecord({ ...start, ...sent }, { replicaId, mayHaveRow: true });
  const admissionId = newId('uid');
  const admitted = await insertAdmittedStep(db, {
    step,
    fingerprint: null,
    admissionId,
    reservedIterations: iterations,
    policyRevision,
  });
  if (!admitted) return null;
  const { number: _, ...row } = admitted;
  return { ...step, ...row, admissionId };
}

/** The step is admitted. */
export async function admitted(db: Database, session: SessionRow, wanted: Wanted = {}) {
  const step = await admit(db, session, wanted);
  if (!step) throw new Error('the budget does not allow the step');
  return step;
}

export const succeeded = (step: StepRecord, durationMs: number): StepRecord => ({
  ...step,
  status: 'succeeded',
  outcome: { tag: 'ok' },
  durationMs,
  finishedAt: new Date(),
});

/** The step has ended with success after this time. */
export async function run(db: Database, session: SessionRow, durationMs: number, wanted: Wanted = {}): Promise<void> {
  await recordSteps(db, [succeeded(await admitted(db, session, wanted), durationMs)]);
}
