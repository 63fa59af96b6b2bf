import { setTimeout as delay } from 'node:timers/promises';
import type { Cause } from '@holdfast/specs/public';
import { type Charges, noCharges } from '../../registry/budgets/find-charges.ts';
import type { FoundStep } from '../../registry/steps/find-step.ts';
import type { StepRecord } from '../../registry/steps/record-steps.ts';
import type { StepRecorder } from './step-recorder.ts';

type RecordEndDependencies = {
  recorder: Pick<StepRecorder, 'end'>;
  findStep(key: { sessionId: string; stepId: string }): Promise<FoundStep | null>;
  findSession(key: { id: string }): Promise<object | null>;
  findCharges(key: { stepId: string }): Promise<Charges>;
};

/**
 * `us`: the registry has `record`. `another`: another replica, or an earlier try of ours, had recorded the end before, as `row`.
 * `nobody`: the registry was seen to have no row of the step any more, so `record` is all that can be said.
 */
export type RecordedEnd =
  | ({ by: 'us'; record: StepRecord } & Known)
  | { by: 'another'; row: FoundStep }
  | ({ by: 'nobody'; record: StepRecord } & Known);

/** The part of a recorded step that the registry decides. */
type Known = { number: number | null; charges: Charges };

const retryMs = 500;

/**
 * Records the end of a step, and returns the end that the registry then has: only that may be announced. If another replica was first,
 * its end counts. If the registry refuses the values, which a hostile agent may have chosen for that purpose, the step is recorded as
 * lost.
 *
 * @throws Error if the registry refuses even that. Then nothing may be announced, and the agent keeps the result.
 */
export async function recordEnd(deps: RecordEndDependencies, record: StepRecord): Promise<RecordedEnd> {
  let end = record;
  for (;;) {
    const recorded = await deps.recorder.end(end);
    if (recorded === 'refused') {
      if (end !== record) throw new Error(`the registry refuses every end of step ${record.id}`);
      end = lostRecord(record, { code: 'result_refused' });
      continue;
    }
    if (recorded !== null) {
      const isCharged = end.budgetId !== null || end.hasHostCalls === true;
      const charges = isCharged ? await untilAnswered(() => deps.findCharges({ stepId: end.id })) : noCharges;
      return { by: 'us', record: end, number: recorded, charges };
    }
    const found = await untilAnswered(() => findEnd(deps, record));
    if (found !== 'unfinished') return found;
    // Its row is there and has no end, so a later try may write it, or its new owner does.
    end = { ...end, mayHaveRow: true };
    await delay(retryMs);
  }
}

/** The end of a step that the registry has or can no longer have, read anew because a write had no effect. */
async function findEnd(
  { findStep, findSession }: RecordEndDependencies,
  record: StepRecord,
): Promise<RecordedEnd | 'unfinished'> {
  const row = await findStep({ sessionId: record.sessionId, stepId: record.id });
  if (row) return row.finishedAt ? { by: 'another', row } : 'unfinished';
  const session = await findSession({ id: record.sessionId });
  // In a session that is still there, only a step that has ended can have been purged.
  const code = session ? 'result_forgotten' : 'session_ended';
  return { by: 'nobody', record: lostRecord(record, { code }), number: null, charges: noCharges };
}

/** Asks until the database answers: an end must not stay open because the database was unavailable for a moment. */
async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch {
      await delay(retryMs);
    }
  }
}

/** Keeps nothing that the agent reported. */
const lostRecord = (record: StepRecord, cause: Cause): StepRecord => ({
  ...record,
  mayHaveRow: true,
  status: 'lost',
  outcome: { tag: 'error', kind: 'runtime-error', stateSurvived: record.job ? null : false },
  cause,
  exitCode: null,
  truncated: false,
  contextEpoch: null,
  executionCount: null,
  durationMs: null,
  cpuSeconds: null,
  memoryBytesMax: null,
  events: Buffer.alloc(0),
  longEvents: undefined,
});
