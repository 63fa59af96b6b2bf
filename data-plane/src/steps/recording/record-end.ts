import { setTimeout as delay } from 'node:timers/promises';
import type { FoundStep } from '../../registry/steps/find-step.ts';
import type { StepRecord } from '../../registry/steps/record-steps.ts';
import type { StepRecorder } from './step-recorder.ts';

type RecordEndDependencies = {
  recorder: Pick<StepRecorder, 'end'>;
  findStep(key: { sessionId: string; stepId: string }): Promise<FoundStep | null>;
};

/**
 * `us`: the registry has `record`. `number` is null if the session was deleted meanwhile, and with it the history.
 * `another`: another replica had recorded the end before, as `row`.
 */
export type RecordedEnd = { by: 'us'; record: StepRecord; number: number | null } | { by: 'another'; row: FoundStep };

/**
 * Records the end of a step, and returns the end that the registry then has: only that may be announced. If another replica was first,
 * its end counts. If the registry refuses the values, which a hostile agent may have chosen for that purpose, the step is recorded as
 * lost.
 */
export async function recordEnd(
  { recorder, findStep }: RecordEndDependencies,
  record: StepRecord,
): Promise<RecordedEnd> {
  const number = await recorder.end(record);
  if (number !== null) return { by: 'us', record, number };
  const row = await retry(() => findStep({ sessionId: record.sessionId, stepId: record.id }));
  if (row?.finishedAt) return { by: 'another', row };
  const bare = withoutContent(record);
  return { by: 'us', record: bare, number: await recorder.end(bare) };
}

const retryMs = 500;

/** Asks until the database answers: an end must not stay open because the database was unavailable for a moment. */
async function retry<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch {
      await delay(retryMs);
    }
  }
}

function withoutContent(record: StepRecord): StepRecord {
  return {
    ...record,
    mayHaveRow: true,
    status: 'lost',
    outcome: { tag: 'error', kind: 'runtime-error', stateSurvived: false },
    cause: { code: 'sandbox_lost', message: 'the end that the session-agent reported could not be recorded' },
    contextEpoch: null,
    executionCount: null,
    durationMs: null,
    events: Buffer.alloc(0),
  };
}
