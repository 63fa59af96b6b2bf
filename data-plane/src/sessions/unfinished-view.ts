import { eventContent, frameAt, type Step } from '@holdfast/specs';
import type { LiveStepLog } from './live-step.ts';
import type { RecordedStep } from './recorded-step.ts';
import { stepView } from './step-view.ts';

/** A step that this replica follows, as its frames tell it so far: the registry learns of a step's start only at its end. */
export function unfinishedView(row: RecordedStep, liveSteps: ReadonlyMap<string, LiveStepLog>): Step | null {
  const live = row.finishedAt ? undefined : liveSteps.get(row.id);
  if (!live) return null;
  // The first frame is `queued` or `started`, `queued` comes once.
  for (const bytes of live.frames.slice(0, 2)) {
    const frame = frameAt(bytes, 0);
    if (frame?.type !== 'started') continue;
    const { contextEpoch, executionCount } = eventContent.started.parse(JSON.parse(frame.payload.toString()));
    const startedAt = new Date(row.queuedAt.getTime() + frame.timeMs);
    return stepView(row, { ...row, status: 'running', startedAt, contextEpoch, executionCount }, live.frames);
  }
  return stepView(row, { ...row, status: 'queued' }, live.frames);
}
