import { Problem, type Step } from '@holdfast/specs';
import type { Database } from '../registry/connect.ts';
import { findStep } from '../registry/find-step.ts';
import type { Caller } from './caller.ts';
import { existingSession } from './existing-session.ts';
import type { LiveStepLog } from './live-step.ts';
import { stepFromRow } from './recorded-step.ts';
import { unfinishedView } from './unfinished-view.ts';

type GetStepDependencies = { db: Database; liveSteps: ReadonlyMap<string, LiveStepLog> };
type StepKey = { caller: Caller; sessionId: string; stepId: string };

/** A step as it is now, with the output so far where it runs on this replica. Throws Problem 404, 410 (deleted session). */
export async function getStep(
  { db, liveSteps }: GetStepDependencies,
  { caller, sessionId, stepId }: StepKey,
): Promise<Step> {
  await existingSession(db, { id: sessionId, tenant: caller.tenant });
  const row = await findStep(db, { sessionId, stepId });
  if (!row) throw new Problem('not-found', { detail: `there is no step ${stepId}` });
  return unfinishedView(row, liveSteps) ?? stepFromRow(row);
}
