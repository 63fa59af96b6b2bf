import { Problem, type Step } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import { findStep } from '../registry/steps/find-step.ts';
import type { Caller } from '../sessions/caller.ts';
import { existingSession } from '../sessions/existing-session.ts';
import { askWhatStepNeeds, type NeedDependencies } from './find-step-need.ts';
import { currentStep } from './current-step.ts';
import type { LiveStepLog } from './live-step.ts';

type GetStepDependencies = NeedDependencies & { db: Database; liveSteps: ReadonlyMap<string, LiveStepLog> };
type StepKey = { caller: Caller; sessionId: string; stepId: string };

/** A step as it is now, with the output so far where it runs on this replica. Throws Problem 404, 410 (deleted session). */
export async function getStep(deps: GetStepDependencies, { caller, sessionId, stepId }: StepKey): Promise<Step> {
  await existingSession(deps.db, { id: sessionId, tenant: caller.tenant });
  const row = await findStep(deps.db, { sessionId, stepId });
  if (!row) throw new Problem('not-found', { detail: `there is no step ${stepId}` });
  const live = deps.liveSteps.get(stepId);
  const step = currentStep(row, live);
  const outcome = row.finishedAt ? null : await askWhatStepNeeds(deps, { row, live });
  return outcome ? { ...step, status: 'running', outcome } : step;
}
