import type { Page, Step } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import { listSteps as listStepRows } from '../registry/steps/list-steps.ts';
import type { Caller } from '../sessions/caller.ts';
import { existingSession } from '../sessions/existing-session.ts';
import type { LiveStepLog } from './live-step.ts';
import { currentStep } from './step-from-row.ts';

type ListDependencies = { db: Database; liveSteps: ReadonlyMap<string, LiveStepLog> };
type ListInput = { caller: Caller; sessionId: string; limit: number; cursor?: string };

/**
 * The history in the order of admission. It does not say what a step waits for; `getStep` does.
 * @throws Problem 404, 410 (deleted session)
 */
export async function listSteps(
  { db, liveSteps }: ListDependencies,
  { caller, sessionId, ...page }: ListInput,
): Promise<Page<Step>> {
  await existingSession(db, { id: sessionId, tenant: caller.tenant });
  const { items, nextCursor } = await listStepRows(db, { sessionId, ...page });
  return { items: items.map((row) => currentStep(row, liveSteps.get(row.id))), nextCursor };
}
