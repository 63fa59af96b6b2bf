import type { Step } from '@holdfast/specs/public';
import type { findStep } from '../registry/steps/find-step.ts';
import type { StepStart } from './live-step.ts';
import { stepView } from './step-view.ts';

/** A step as the registry has it, ended or not. */
export type RecordedStep = NonNullable<Awaited<ReturnType<typeof findStep>>>;

export function stepFromRow(row: RecordedStep): Step {
  return stepView(row, row, row.events ? [row.events] : []);
}

export function startOf(row: RecordedStep): StepStart {
  const { id, sessionId, contextId, language, code, job, actor, epoch, timeoutMs, queuedAt } = row;
  return { id, sessionId, contextId, language, code, job, actor, epoch, timeoutMs, queuedAt };
}
