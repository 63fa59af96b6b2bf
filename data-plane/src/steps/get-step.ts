import type { LargeReads } from '../reading/large-reads.ts';
import type { Database } from '../registry/connect.ts';
import { findStep } from '../registry/steps/find-step.ts';
import type { Caller } from '../sessions/caller.ts';
import { existingSession } from '../sessions/existing-session.ts';
import { findStepNeed, type NeedDependencies } from './find-step-need.ts';
import { stepNotFound } from './frame-log.ts';
import type { LiveStep, LiveStepLog } from './live-step.ts';
import { currentStep, type StepAnswer, unfinishedStep } from './step-from-row.ts';

type GetStepDependencies = NeedDependencies & {
  db: Database;
  reads: LargeReads;
  liveSteps: ReadonlyMap<string, LiveStepLog>;
};
type StepKey = { caller: Caller; sessionId: string; stepId: string };

/**
 * A step as it is now, with the output so far if it runs on this replica. `after`: an operation that the client has seen; it and earlier ones are not
 * shown as what the step needs.
 * @throws Problem 404, 410 (deleted session)
 */
export async function getStep(
  deps: GetStepDependencies,
  { caller, sessionId, stepId, after }: StepKey & { after?: string | undefined },
): Promise<StepAnswer> {
  await existingSession(deps.db, { id: sessionId, tenant: caller.tenant });
  const row = await findStep(deps.db, { sessionId, stepId });
  if (!row) throw stepNotFound(stepId);
  const live = deps.liveSteps.get(stepId);
  const need = row.finishedAt ? null : await findStepNeed(deps, { row, live, after });
  return currentStep(deps.reads, row, { live, need });
}

/** The live step with the outcome `needs`, if it waits for something now that comes after the operation `after`; otherwise null. */
export async function findWaitingStep(
  deps: NeedDependencies & { db: Database },
  { live, after }: { live: LiveStep; after?: string | undefined },
): Promise<StepAnswer | null> {
  const row = await findStep(deps.db, { sessionId: live.sessionId, stepId: live.id });
  if (!row || row.finishedAt) return null;
  const need = await findStepNeed(deps, { row, live, after });
  return need && unfinishedStep(row, live.frames, need);
}
