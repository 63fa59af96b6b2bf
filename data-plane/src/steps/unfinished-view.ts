import { frameAt } from '@holdfast/specs/agent';
import { type Step, startedSchema } from '@holdfast/specs/public';
import type { RecordedStep } from './step-from-row.ts';
import { stepView } from './step-view.ts';

/** A step that has not ended, as its frames tell it so far: the registry learns of a step's start only at its end. Pure. */
export function unfinishedView(row: RecordedStep, frames: readonly Buffer[]): Step {
  // The first frame is `queued` or `started`, `queued` comes once.
  for (const bytes of frames.slice(0, 2)) {
    const frame = frameAt(bytes, 0);
    if (frame?.type !== 'started') continue;
    const { contextEpoch, executionCount } = startedSchema.parse(JSON.parse(frame.payload.toString()));
    const startedAt = new Date(row.queuedAt.getTime() + frame.timeMs);
    return stepView(row, { ...row, status: 'running', startedAt, contextEpoch, executionCount }, frames);
  }
  return stepView(row, { ...row, status: 'queued' }, frames);
}
