import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../registry/connect.ts';
import { findPendingOperation } from '../registry/operations/find-pending-operation.ts';
import type { StepCall } from './frames/step-call.ts';
import type { LiveStepLog } from './live-step.ts';

const pollMs = 250;

/** Whether the call lets the step run other steps. Pure. */
export const runsSteps = ({ kind, name }: Pick<StepCall, 'kind' | 'name'>): boolean =>
  kind === 'own' && (name === 'eval' || name === 'fixpoint');

/**
 * Notes the operations for which the steps that another one runs wait, until it has ended or its reader leaves. The replica that drives those steps
 * sees them in their frames. For any other one they are in the registry alone, as the frames of the upper step do not have them. Never rejects.
 */
export async function noteNeedsBelow(
  db: Database,
  { live, signal }: { live: LiveStepLog; signal: AbortSignal },
): Promise<void> {
  const { sessionId, id: stepId } = live;
  let last: string | null = null;
  while (!signal.aborted && !live.finished && !live.failure) {
    const pending = await findPendingOperation(db, { sessionId, stepId }).catch(() => null);
    if (pending && pending.stepId !== stepId && pending.id !== last) {
      last = pending.id;
      live.noteRequest({ operationId: pending.id });
    }
    await delay(pollMs, undefined, { signal }).catch(() => {});
  }
}
