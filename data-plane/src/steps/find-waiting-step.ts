import type { Step } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import { findStep } from '../registry/steps/find-step.ts';
import { askWhatStepNeeds, type NeedDependencies } from './find-step-need.ts';
import type { LiveStep } from './live-step.ts';
import { unfinishedView } from './unfinished-view.ts';

/** The step as it is, with the outcome `needs`, where it waits for something now; else null. */
export async function findWaitingStep(deps: NeedDependencies & { db: Database }, live: LiveStep): Promise<Step | null> {
  const row = await findStep(deps.db, { sessionId: live.sessionId, stepId: live.id });
  if (!row || row.finishedAt) return null;
  const outcome = await askWhatStepNeeds(deps, { row, live });
  return outcome && { ...unfinishedView(row, live.frames), outcome };
}
