import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../registry/connect.ts';
import { findStep } from '../../registry/steps/find-step.ts';
import type { StepRecord } from '../../registry/steps/record-steps.ts';
import type { StepRecorder } from './step-recorder.ts';
import type { RecordedStep } from '../step-from-row.ts';

/** `number` is null where the session was deleted meanwhile, so that there is nothing left to record in. */
export type Recorded = { by: 'us'; record: StepRecord; number: number | null } | { by: 'another'; row: RecordedStep };

/**
 * Records a step's end such that what is announced afterwards is what the registry has. Where another replica was first, its end
 * counts; where the registry refuses the values, which an agent may have chosen to that purpose, the step is recorded as lost.
 */
export async function recordEnd(
  { db, recorder }: { db: Database; recorder: Pick<StepRecorder, 'end'> },
  record: StepRecord,
): Promise<Recorded> {
  const number = await recorder.end(record);
  if (number !== null) return { by: 'us', record, number };
  const row = await found(db, record);
  if (row?.finishedAt) return { by: 'another', row };
  const bare = withoutContent(record);
  return { by: 'us', record: bare, number: await recorder.end(bare) };
}

const retryMs = 500;

/** Asks until the database answers: an end must not stay open because of a moment without it. */
async function found(db: Database, { id, sessionId }: StepRecord): Promise<RecordedStep | null> {
  for (;;) {
    try {
      return await findStep(db, { sessionId, stepId: id });
    } catch {
      await delay(retryMs);
    }
  }
}

function withoutContent(record: StepRecord): StepRecord {
  return {
    ...record,
    isKnown: true,
    status: 'lost',
    outcome: { tag: 'error', kind: 'runtime-error', stateSurvived: false },
    cause: { code: 'sandbox_lost', message: 'the end that the session-agent reported could not be recorded' },
    contextEpoch: null,
    executionCount: null,
    durationMs: null,
    events: Buffer.alloc(0),
  };
}
