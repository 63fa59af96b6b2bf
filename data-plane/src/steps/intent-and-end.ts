import { encodeFrame } from '@holdfast/specs/agent';
import type { Cause, Outcome, RefusedChanges } from '@holdfast/specs/public';
import type { StepRecord } from '../registry/steps/record-steps.ts';
import { bytesOf } from './frame-log.ts';
import type { FrameIntake } from './frames/frame-intake.ts';
import type { StepEnd } from './frames/judge-cut.ts';
import type { StepStart } from './live-step.ts';

type Intent = Pick<StepRecord, 'replicaId' | 'mayHaveRow'> & Partial<Pick<StepRecord, 'budgetId' | 'isCutByBudget'>>;

/** The record of a step that was sent, or is about to be, and has not ended. Pure. */
export function intentRecord(
  start: StepStart,
  { replicaId, mayHaveRow, budgetId = null, isCutByBudget = false }: Intent,
): StepRecord {
  return {
    ...start,
    replicaId,
    mayHaveRow,
    budgetId,
    isCutByBudget,
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
    cpuSeconds: null,
    memoryBytesMax: null,
    events: null,
  };
}

/** `isProposed`: changes of the step wait for the host. `refusedChanges`: those that were put back. */
export type Ended = StepEnd & { isProposed?: boolean | undefined; refusedChanges?: RefusedChanges | null | undefined };

/** The record of a step that has ended. Pure. */
export function endRecord(
  intent: StepRecord,
  intake: FrameIntake,
  end: Ended,
  events: readonly Buffer[],
  now: Date,
): StepRecord {
  const usage = end.status === 'lost' ? null : end.usage;
  const { startedTimeMs } = intake;
  const startedAt =
    startedTimeMs === null ? null : new Date(Math.min(intent.queuedAt.getTime() + startedTimeMs, now.getTime()));
  const record: StepRecord = {
    ...intent,
    status: end.status,
    outcome: outcomeOf(intent, intake, end),
    cause: isStoppedByBudget(intent, end) ? budgetCause : end.cause,
    exitCode: ('exitCode' in end ? end.exitCode : null) ?? null,
    contextEpoch: intake.contextEpoch,
    executionCount: intake.executionCount,
    truncated: intake.truncated,
    startedAt,
    finishedAt: now,
    durationMs: 'durationMs' in end ? countedMs(intent, intake, Math.round(end.durationMs * 1000) / 1000) : null,
    cpuSeconds: usage?.cpuSeconds ?? null,
    memoryBytesMax: usage?.memoryBytesMax ?? null,
    events: null,
  };
  setEvents(record, events);
  if (intake.hasHostCalls) record.hasHostCalls = true;
  if (intake.silentCount !== null) record.silentCount = intake.silentCount;
  return record;
}

/** Events that are larger than this are not copied. */
const copiedBytesMax = 256 * 1024;

function setEvents(record: StepRecord, frames: readonly Buffer[]): void {
  const isLong = bytesOf(frames) > copiedBytesMax;
  record.events = isLong ? Buffer.alloc(0) : Buffer.concat(frames);
  if (isLong) record.longEvents = frames.slice();
}

/** An agent on a busy machine may report the beginning and the end of a step so much later than they were. */
const toleranceMs = 250;

/**
 * The time that the agent has measured. A budget is charged for it, so it counts for no less than this replica has seen between the frames: the
 * agent may be under the control of the user's code.
 */
function countedMs(
  { budgetId }: StepRecord,
  { startedOffsetMs, doneOffsetMs }: FrameIntake,
  measuredMs: number,
): number {
  if (budgetId === null || startedOffsetMs === null || doneOffsetMs === null) return measuredMs;
  return Math.max(measuredMs, doneOffsetMs - startedOffsetMs - toleranceMs);
}

function outcomeOf(intent: StepRecord, intake: FrameIntake, end: Ended): Outcome {
  const refused = end.refusedChanges && { refusedChanges: end.refusedChanges };
  if (end.status === 'succeeded') return { tag: end.isProposed ? 'proposed' : 'ok', ...refused };
  const kind = isStoppedByBudget(intent, end)
    ? 'budget'
    : isViolation(intent, intake, end)
      ? 'policy-violation'
      : 'runtime-error';
  const stateSurvived = end.status !== 'lost' && end.cause?.code !== 'session_ended' && end.stateSurvived;
  // A job has no state.
  return { tag: 'error', kind, stateSurvived: intent.job ? null : stateSurvived, ...refused };
}

/** A step whose timeout was the rest of its budget's time, and that was stopped when it was over. Pure. */
export const isStoppedByBudget = (
  { isCutByBudget }: Pick<StepRecord, 'isCutByBudget'>,
  { status }: Pick<StepEnd, 'status'>,
) => status === 'timed_out' && isCutByBudget;

const budgetCause: Cause = { code: 'timeout', message: 'the time of the budget was over' };

/**
 * Whether code has failed by a rule. In a shell an error is nothing but the exit status of a command, and that of `holdfast call` for a
 * call that is denied is a number which any program may use, so there the call must have been denied here.
 */
function isViolation({ language }: StepRecord, { lastError, hasDeniedCalls }: FrameIntake, { status }: Ended): boolean {
  if (status !== 'failed' || !lastError) return false;
  if (/(^|[.:])PolicyViolation$/.test(lastError.name)) return true;
  return language === 'bash' && hasDeniedCalls && /^(exit status )?3$/.test(lastError.message);
}

/** The error of a step that its budget has stopped, in place of that of the interrupt. Pure. */
export function budgetErrorFrame({ timeoutMs, queuedAt }: StepStart, { seq, at }: { seq: number; at: Date }): Buffer {
  const message = `the time of the budget was over, so the step was stopped after ${timeoutMs / 1000} s`;
  const frame = encodeFrame('error', seq, { name: 'BudgetExceeded', message, traceback: [] });
  frame.writeUInt32BE(Math.min(Math.max(0, at.getTime() - queuedAt.getTime()), 0xffffffff), 8);
  return frame;
}
