import type { Done } from '@holdfast/specs/agent';
import type { Cause, Outcome, StepStatus } from '@holdfast/specs/public';
import type { StepRecord } from '../registry/steps/record-steps.ts';
import type { FrameIntake } from './frames/frame-intake.ts';
import type { StepStart } from './live-step.ts';

/** The row of a step that was sent and has not ended. Pure. */
export function intentRecord(
  start: StepStart,
  { replicaId, isKnown }: Pick<StepRecord, 'replicaId' | 'isKnown'>,
): StepRecord {
  return {
    ...start,
    replicaId,
    isKnown,
    status: 'running',
    contextEpoch: null,
    executionCount: null,
    outcome: null,
    cause: null,
    truncated: false,
    startedAt: null,
    finishedAt: null,
    durationMs: null,
    events: null,
  };
}

/** How a step ended: as its agent said, or as the data-plane had to conclude. */
export type StepEnd =
  | Pick<Done, 'status' | 'stateSurvived' | 'durationMs' | 'cause'>
  | { status: 'lost'; cause: Cause };

/** The row of a step that has ended. Pure. */
export function endRecord(
  intent: StepRecord,
  intake: FrameIntake,
  end: StepEnd,
  events: readonly Buffer[],
  now: Date,
): StepRecord {
  const startedAt =
    intake.startedOffsetMs === null ? null : new Date(intent.queuedAt.getTime() + intake.startedOffsetMs);
  return {
    ...intent,
    status: end.status,
    outcome: outcomeOf(end),
    cause: end.cause,
    contextEpoch: intake.contextEpoch,
    executionCount: intake.executionCount,
    truncated: intake.truncated,
    startedAt,
    finishedAt: now,
    durationMs: 'durationMs' in end ? end.durationMs : null,
    events: Buffer.concat(events),
  };
}

const ok: StepStatus = 'succeeded';

function outcomeOf(end: StepEnd): Outcome {
  if (end.status === ok) return { tag: 'ok' };
  return { tag: 'error', kind: 'runtime-error', stateSurvived: end.status !== 'lost' && end.stateSurvived };
}
