import type { Step } from '@holdfast/specs';
import type { Database } from '../../registry/connect.ts';
import { findStep } from '../../registry/find-step.ts';
import type { LiveStep } from './live-step.ts';
import { type NeedDependencies, stepNeed } from './step-need.ts';
import { unfinishedView } from './unfinished-view.ts';

/** The step as it is, with the outcome `needs`, where it waits for something now; else null. */
export async function stepInNeed(deps: NeedDependencies & { db: Database }, live: LiveStep): Promise<Step | null> {
  const row = await findStep(deps.db, { sessionId: live.sessionId, stepId: live.id });
  if (!row || row.finishedAt) return null;
  const outcome = await stepNeed(deps, { row, live });
  return outcome && { ...unfinishedView(row, live.frames), outcome };
}
