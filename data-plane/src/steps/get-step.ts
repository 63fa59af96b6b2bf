import { Problem, type Step } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import { findStep } from '../registry/steps/find-step.ts';
import type { Caller } from '../sessions/caller.ts';
import { existingSession } from '../sessions/existing-session.ts';
import { findStepNeed, type NeedDependencies } from './find-step-need.ts';
import type { LiveStep, LiveStepLog } from './live-step.ts';
import { currentStep, unfinishedStep } from './step-from-row.ts';

type GetStepDependencies = NeedDependencies & { db: Database; liveSteps: ReadonlyMap<string, LiveStepLog> };
type StepKey = { caller: Caller; sessionId: string; stepId: string };

/**
 * A step as it is now, with the output so far if it runs on this replica.
 * @throws Problem 404, 410 (deleted session)
 */
export async function getStep(deps: GetStepDependencies, { caller, sessionId, stepId }: StepKey): Promise<Step> {
  await existingSession(deps.db, { id: sessionId, tenant: caller.tenant });
  const row = await findStep(deps.db, { sessionId, stepId });
  if (!row) throw stepNotFound(stepId);
  const live = deps.liveSteps.get(stepId);
  const step = currentStep(row, live);
  const outcome = row.finishedAt ? null : await findStepNeed(deps, { row, live });
  return outcome ? { ...step, status: 'running', outcome } : step;
}

/** The live step with the outcome `needs`, if it waits for something now; otherwise null. */
export async function findWaitingStep(deps: NeedDependencies & { db: Database }, live: LiveStep): Promise<Step | null> {
  const row = await findStep(deps.db, { sessionId: live.sessionId, stepId: live.id });
  if (!row || row.finishedAt) return null;
  const outcome = await findStepNeed(deps, { row, live });
  return outcome && { ...unfinishedStep(row, live.frames), outcome };
}

export const stepNotFound = (stepId: string) =>
  new Problem('not-found', { detail: `step ${stepId} does not exist in this session` });
