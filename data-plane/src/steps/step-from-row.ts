import { frameAt } from '@holdfast/specs/agent';
import { type Outcome, type Step, startedSchema } from '@holdfast/specs/public';
import type { LargeReads } from '../reading/large-reads.ts';
import type { StepRow } from '../registry/schema/steps.ts';
import type { FoundStep } from '../registry/steps/find-step.ts';
import { bytesOf, receivedLog, recordedLog } from './frame-log.ts';
import type { LiveStep, StepStart } from './live-step.ts';
import { type LongStep, longStep } from './long-step.ts';
import { type StepState, stepView, type ViewedStart } from './step-view.ts';

/** The public step, or one that is made while it is sent. */
export type StepAnswer = Step | LongStep;

/** The most bytes of frames of which a step is made at once. */
const madeAtOnceMax = 256 * 1024;

/** The public step with frames that are in memory. */
export function stepFromFrames(start: ViewedStart, state: StepState, frames: readonly Buffer[]): StepAnswer {
  if (bytesOf(frames) <= madeAtOnceMax) return stepView(start, state, frames);
  return longStep({ start, state, log: receivedLog(frames), isReplayed: false, received: frames });
}

/** The public step as the registry has it, ended or not. */
export function stepFromRow(reads: LargeReads, row: FoundStep): StepAnswer {
  if (row.events || row.eventBytes === 0) return stepView(row, row, row.events ? [row.events] : []);
  const log = recordedLog(reads, { stepId: row.id, bytes: row.eventBytes });
  return longStep({ start: row, state: row, log, isReplayed: true });
}

/** The same, with the output so far if the step has not ended and this replica follows it. */
export const currentStep = (
  reads: LargeReads,
  row: FoundStep,
  { live, need = null }: { live: Pick<LiveStep, 'frames'> | undefined; need?: Outcome | null },
): StepAnswer => {
  if (!row.finishedAt && live) return unfinishedStep(row, live.frames, need);
  return stepFromRow(reads, need ? { ...row, status: 'running', outcome: need } : row);
};

/**
 * A step that has not ended, according to its frames so far: the registry learns only at the end when the step started.
 * @param need the outcome of a step that waits for something
 */
export function unfinishedStep(row: StepRow, frames: readonly Buffer[], need: Outcome | null): StepAnswer {
  // The first frame is `queued` or `started`, and `queued` comes once.
  for (const bytes of frames.slice(0, 2)) {
    const frame = frameAt(bytes, 0);
    if (frame?.type !== 'started') continue;
    const { contextEpoch, executionCount } = startedSchema.parse(JSON.parse(frame.payload.toString()));
    const startedAt = new Date(row.queuedAt.getTime() + frame.timeMs);
    const state = { ...row, outcome: need, status: 'running', startedAt, contextEpoch, executionCount } as const;
    return stepFromFrames(row, state, frames);
  }
  return stepFromFrames(row, { ...row, outcome: need, status: need ? 'running' : 'queued' }, frames);
}

/** The part of a step that was known before it was sent. Pure. */
export function startOf(row: StepRow): StepStart {
  const { id, sessionId, contextId, language, code, job, actor, actorName, keyId, epoch, timeoutMs, queuedAt } = row;
  const { parentStepId, isSilent, expressions } = row;
  return {
    ...{ id, sessionId, contextId, language, code, job, actor, actorName, keyId, epoch, timeoutMs, queuedAt },
    ...{ parentStepId, isSilent, expressions },
  };
}
