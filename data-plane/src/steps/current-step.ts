import type { Step } from '@holdfast/specs/public';
import type { LiveStep } from './live-step.ts';
import { type RecordedStep, stepFromRow } from './step-from-row.ts';
import { unfinishedView } from './unfinished-view.ts';

/** A step as the registry has it, with the output so far where it has not ended and this replica follows it. Pure. */
export const currentStep = (row: RecordedStep, live: Pick<LiveStep, 'frames'> | undefined): Step =>
  row.finishedAt || !live ? stepFromRow(row) : unfinishedView(row, live.frames);
