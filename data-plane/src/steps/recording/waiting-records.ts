import type { StepRecord } from '../../registry/steps/record-steps.ts';

/**
 * The step's number once the registry has the record. `refused`: the registry can never hold this row. Null: nothing was written,
 * because the step had ended before, its session is gone, or its intent was withdrawn.
 */
export type Recorded = number | 'refused' | null;

/** A record that is not settled yet, and its caller, which waits for that. */
export type WaitingRecord = { row: StepRecord; resolve: (recorded: Recorded) => void; dueAtMs: number };

/** A batch stays small and quick. An end that is larger than this by itself is written beside the batches. */
const batchedEventsBytesMax = 256 * 1024;

const batchRowsMax = 500;

/** The records of steps that are not settled yet: those that wait, and those that were taken in order to be written. */
export function createWaitingRecords() {
  /** By step id, in order of arrival. A step's end takes the place of its intent. */
  const waiting = new Map<string, WaitingRecord[]>();
  const idle = new Set<() => void>();
  let unsettled = 0;
  let bytes = 0;

  return {
    has: (id: string): boolean => waiting.has(id),
    get isEmpty(): boolean {
      return waiting.size === 0;
    },
    /** The size of all that is not settled. */
    get bytes(): number {
      return bytes;
    },

    /** When the first of those that wait is due. */
    get nextDueMs(): number {
      return Math.min(...Array.from(waiting.values(), (step) => newestOf(step).dueAtMs));
    },

    /** Makes a waiting step due at this time at the latest. False: it does not wait, or was due before. */
    hasten(id: string, dueAtMs: number): boolean {
      const step = waiting.get(id);
      if (!step || newestOf(step).dueAtMs <= dueAtMs) return false;
      newestOf(step).dueAtMs = dueAtMs;
      return true;
    },

    add(row: StepRecord, dueAtMs: number): Promise<Recorded> {
      unsettled++;
      bytes += bytesOf(row);
      return new Promise((resolve) => {
        const earlier = waiting.get(row.id);
        if (earlier) earlier.push({ row, resolve, dueAtMs });
        else waiting.set(row.id, [{ row, resolve, dueAtMs }]);
      });
    },

    /** Removes and returns the records of one step. */
    take(id: string): WaitingRecord[] {
      const step = waiting.get(id) ?? [];
      waiting.delete(id);
      return step;
    },

    takeDue: (): WaitingRecord[][] => takeDueBatch(waiting),

    /** Puts steps that were taken back in front of all others. */
    putBack(batch: readonly WaitingRecord[][]): void {
      const arrived = [...waiting.values()];
      waiting.clear();
      for (const step of [...batch, ...arrived]) {
        const { id } = newest(step);
        waiting.set(id, [...(waiting.get(id) ?? []), ...step]);
      }
    },

    /** Answers the callers of a step that was taken. If an intent is refused, its end may still be written. */
    settle(step: readonly WaitingRecord[], recorded: Recorded): void {
      for (const { row, resolve } of step) {
        unsettled--;
        bytes -= bytesOf(row);
        resolve(recorded === 'refused' && row.finishedAt === null ? null : recorded);
      }
      if (unsettled > 0) return;
      for (const resolve of idle) resolve();
      idle.clear();
    },

    /** Resolves when every record is settled. */
    async settled(): Promise<void> {
      if (unsettled > 0) await new Promise<void>((resolve) => idle.add(resolve));
    },
  };
}

/** The newest record of a step, which replaces those before it. */
export const newest = (step: readonly WaitingRecord[]): StepRecord => newestOf(step).row;

const newestOf = (step: readonly WaitingRecord[]): WaitingRecord => step[step.length - 1] as WaitingRecord;

const bytesOf = ({ code, events, longEvents = [] }: StepRecord): number =>
  longEvents.reduce((sum, { length }) => sum + length, code.length + (events?.length ?? 0));

/** Whether the end is written by itself. */
export const isLarge = ({ events, longEvents }: StepRecord): boolean =>
  longEvents !== undefined || (events?.length ?? 0) > batchedEventsBytesMax;

/**
 * Removes the records that are due from `waiting` and returns them in order of arrival, by step. Records of the same sessions that
 * arrived before them come along, since the numbers of steps follow that order. All other intents stay: an intent that is not due yet
 * is never written if its end comes in time.
 */
function takeDueBatch(waiting: Map<string, WaitingRecord[]>): WaitingRecord[][] {
  const nowMs = performance.now();
  const sessions = new Set<string>();
  for (const step of waiting.values()) {
    const { row, dueAtMs } = newestOf(step);
    if (dueAtMs <= nowMs) sessions.add(row.sessionId);
  }
  const batch: WaitingRecord[][] = [];
  let bytes = 0;
  for (const [id, step] of waiting) {
    const row = newest(step);
    if (!sessions.has(row.sessionId)) continue;
    bytes += row.events?.length ?? 0;
    if (batch.length > 0 && (bytes > batchedEventsBytesMax || batch.length >= batchRowsMax)) break;
    waiting.delete(id);
    batch.push(step);
  }
  return batch;
}
