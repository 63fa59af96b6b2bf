import { frameAt } from '@holdfast/specs/agent';
import { type Step, startedSchema } from '@holdfast/specs/public';
import type { StepRow } from '../registry/schema/steps.ts';
import type { LiveStep, StepStart } from './live-step.ts';
import { stepView } from './step-view.ts';

/** The public step as the registry has it, ended or not. Pure. */
export const stepFromRow = (row: StepRow): Step => stepView(row, row, row.events ? [row.events] : []);

/** The same, with the output so far if the step has not ended and this replica follows it. Pure. */
export const currentStep = (row: StepRow, live: Pick<LiveStep, 'frames'> | undefined): Step =>
  row.finishedAt || !live ? stepFromRow(row) : unfinishedStep(row, live.frames);

/** A step that has not ended, according to its frames so far: the registry learns only at the end when the step started. Pure. */
export function unfinishedStep(row: StepRow, frames: readonly Buffer[]): Step {
  // The first frame is `queued` or `started`, and `queued` comes once.
  for (const bytes of frames.slice(0, 2)) {
    const frame = frameAt(bytes, 0);
    if (frame?.type !== 'started') continue;
    const { contextEpoch, executionCount } = startedSchema.parse(JSON.parse(frame.payload.toString()));
    const startedAt = new Date(row.queuedAt.getTime() + frame.timeMs);
    return stepView(row, { ...row, status: 'running', startedAt, contextEpoch, executionCount }, frames);
  }
  return stepView(row, { ...row, status: 'queued' }, frames);
}

/** The part of a step that was known before it was sent. Pure. */
export function startOf(row: StepRow): StepStart {
  const { id, sessionId, contextId, language, code, job, actor, epoch, timeoutMs, queuedAt } = row;
  return { id, sessionId, contextId, language, code, job, actor, epoch, timeoutMs, queuedAt };
}
