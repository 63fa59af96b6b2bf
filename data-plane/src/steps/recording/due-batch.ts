import type { StepRecord } from '../../registry/steps/record-steps.ts';

/** A record that waits to be written, and its caller, which waits for the step's number. */
export type WaitingRecord = { row: StepRecord; resolve: (number: number | null) => void; dueAtMs: number };

/** A batch stays small and quick. An end that is larger than this by itself is written beside the batches. */
export const batchedEventsBytesMax = 256 * 1024;

const batchRowsMax = 500;

/**
 * Removes the records that are due from `waiting` and returns them in order of arrival, by step. Records of the same sessions that
 * arrived before them come along, since the numbers of steps follow that order. All other intents stay: an intent that is not due yet
 * is never written if its end comes in time.
 *
 * @param waiting the records by step id, in order of arrival
 */
export function takeDueBatch(waiting: Map<string, WaitingRecord[]>): WaitingRecord[][] {
  const nowMs = performance.now();
  const sessions = new Set<string>();
  for (const step of waiting.values()) {
    const { row, dueAtMs } = newest(step);
    if (dueAtMs <= nowMs) sessions.add(row.sessionId);
  }
  const batch: WaitingRecord[][] = [];
  let bytes = 0;
  for (const [id, step] of waiting) {
    const { row } = newest(step);
    if (!sessions.has(row.sessionId)) continue;
    bytes += row.events?.length ?? 0;
    if (batch.length > 0 && (bytes > batchedEventsBytesMax || batch.length >= batchRowsMax)) break;
    waiting.delete(id);
    batch.push(step);
  }
  return batch;
}

/** The newest record of a step, which replaces those before it. */
export const newest = (step: WaitingRecord[]): WaitingRecord => step[step.length - 1] as WaitingRecord;
