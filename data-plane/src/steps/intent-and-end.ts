import type { Outcome } from '@holdfast/specs/public';
import type { StepRecord } from '../registry/steps/record-steps.ts';
import { bytesOf } from './frame-log.ts';
import type { FrameIntake } from './frames/frame-intake.ts';
import type { StepEnd } from './frames/judge-cut.ts';
import type { StepStart } from './live-step.ts';

/** The record of a step that was sent, or is about to be, and has not ended. Pure. */
export function intentRecord(
  start: StepStart,
  { replicaId, mayHaveRow }: Pick<StepRecord, 'replicaId' | 'mayHaveRow'>,
): StepRecord {
  return {
    ...start,
    replicaId,
    mayHaveRow,
    status: 'running',
    contextEpoch: null,
    executionCount: null,
    outcome: null,
    cause: null,
    exitCode: null,
    truncated: false,
    startedAt: null,
    finishedAt: null,
    durationMs: null,
    events: null,
  };
}

/** The record of a step that has ended. Pure. */
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
    exitCode: ('exitCode' in end ? end.exitCode : null) ?? null,
    contextEpoch: intake.contextEpoch,
    executionCount: intake.executionCount,
    truncated: intake.truncated,
    startedAt,
    finishedAt: now,
    durationMs: 'durationMs' in end ? end.durationMs : null,
    ...eventsOf(events),
  };
}

/** Events that are larger than this are not copied. */
const copiedBytesMax = 256 * 1024;

function eventsOf(frames: readonly Buffer[]): Pick<StepRecord, 'events' | 'longEvents'> {
  const isLong = bytesOf(frames) > copiedBytesMax;
  return isLong ? { events: Buffer.alloc(0), longEvents: frames.slice() } : { events: Buffer.concat(frames) };
}

function outcomeOf(end: StepEnd): Outcome {
  if (end.status === 'succeeded') return { tag: 'ok' };
  return { tag: 'error', kind: 'runtime-error', stateSurvived: end.status !== 'lost' && end.stateSurvived };
}
