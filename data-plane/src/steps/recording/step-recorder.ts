import type { StepRecord } from '../../registry/steps/record-steps.ts';
import { batchedEventsBytesMax, newest, takeDueBatch, type WaitingRecord } from './due-batch.ts';

/** A step that ends within this time is written once, at its end. A longer one has its intent written first. */
const intentDelayMs = 2;

const retryMsMax = 1000;
const refusalsMax = 5;

type Write = (rows: StepRecord[]) => Promise<Map<string, number>>;

export type StepRecorder = ReturnType<typeof createStepRecorder>;

/**
 * Group commit of the history. Records that arrive while a write is under way wait and are written together by the next one, so a
 * durable step costs one write if it is alone and a fraction of one under load. A batch that fails is written again row by row, for
 * as long as the database is unavailable.
 *
 * @param write see registry/steps/record-steps.ts
 */
export function createStepRecorder({
  write,
  writeLarge = write,
  isPermanent,
  isUnavailable,
  onBatch,
  onFailure,
}: {
  write: Write;
  /** The same as `write`, on other connections. */
  writeLarge?: Write;
  /** Whether the database will refuse the same row again. */
  isPermanent: (error: unknown) => boolean;
  /** Whether the database is unavailable. */
  isUnavailable: (error: unknown) => boolean;
  onBatch: (rows: number) => void;
  onFailure: (error: unknown) => void;
}) {
  /** By step id, in order of arrival. A step's end takes the place of its intent. */
  const waiting = new Map<string, WaitingRecord[]>();
  let armed = false;
  let writing = false;
  let batchUnderWay = Promise.resolve();
  let largeUnderWay = Promise.resolve();
  let failing = false;
  const idle = new Set<() => void>();

  function add(row: StepRecord, dueAtMs: number): Promise<number | null> {
    return new Promise((resolve) => {
      const earlier = waiting.get(row.id);
      if (earlier) earlier.push({ row, resolve, dueAtMs });
      else waiting.set(row.id, [{ row, resolve, dueAtMs }]);
    });
  }

  function arm(): void {
    if (armed) return;
    armed = true;
    setTimeout(() => {
      armed = false;
      if (!writing) void writeDue();
    }, intentDelayMs);
  }

  async function writeDue(): Promise<void> {
    writing = true;
    for (let batch = takeDueBatch(waiting); batch.length > 0; batch = takeDueBatch(waiting)) {
      batchUnderWay = writeBatch(batch);
      await batchUnderWay;
    }
    writing = false;
    if (waiting.size > 0) arm();
    else for (const resolve of idle) resolve();
  }

  async function writeBatch(batch: WaitingRecord[][]): Promise<void> {
    onBatch(batch.length);
    try {
      settle(batch, await write(batch.map((step) => newest(step).row)));
      failing = false;
    } catch (error) {
      onFailure(error);
      for (const step of batch) {
        newest(step).row.mayHaveRow = true;
        await writeUntilSettled(step, write);
      }
    }
  }

  /** Large ends are written one after the other beside the batches, so that no small record waits for them. */
  function endLarge(row: StepRecord): Promise<number | null> {
    const intent = waiting.get(row.id) ?? [];
    waiting.delete(row.id);
    return new Promise((resolve) => {
      const step = [
        ...intent,
        { row: { ...row, mayHaveRow: row.mayHaveRow || intent.length === 0 }, resolve, dueAtMs: 0 },
      ];
      // The intent may be in the batch under way.
      const before = Promise.all([largeUnderWay, batchUnderWay]);
      largeUnderWay = before.then(() => writeUntilSettled(step, writeLarge));
    });
  }

  /**
   * Tries for as long as the database is unavailable. If the database refuses the row, tries a few times more and then gives up, so
   * that other rows do not wait for this one.
   */
  async function writeUntilSettled(step: WaitingRecord[], writeOne: Write): Promise<void> {
    let { row } = newest(step);
    for (let delayMs = 10, refusals = 0; refusals < refusalsMax; delayMs = Math.min(delayMs * 2, retryMsMax)) {
      try {
        settle([step], await writeOne([row]));
        failing = false;
        return;
      } catch (error) {
        onFailure(error);
        // If only the answer was lost, the row was written.
        row = { ...row, mayHaveRow: true };
        failing = isUnavailable(error);
        if (isPermanent(error)) break;
        if (!failing) refusals++;
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    }
    settle([step], new Map());
  }

  return {
    /** Resolves with the step's number once the registry has its row; with null if the intent was withdrawn or its session is gone. */
    intent(row: StepRecord): Promise<number | null> {
      const written = add(row, performance.now() + intentDelayMs);
      arm();
      return written;
    },

    /** Withdraws an intent that was not written yet. False: it was written, or is being written now. */
    withdraw(id: string): boolean {
      const written = waiting.get(id);
      waiting.delete(id);
      for (const { resolve } of written ?? []) resolve(null);
      return written !== undefined;
    },

    /** Resolves once the end is durable, with the step's number. Null: another replica has ended the step, or its session is gone. */
    end(row: StepRecord): Promise<number | null> {
      if ((row.events?.length ?? 0) > batchedEventsBytesMax) return endLarge(row);
      // An intent that is no longer waiting was written, or is being written now.
      const written = add({ ...row, mayHaveRow: row.mayHaveRow || !waiting.has(row.id) }, 0);
      if (!writing) void writeDue();
      return written;
    },

    /** False while the database accepts no writes. No step should begin then. */
    get healthy() {
      return !failing;
    },

    /** Resolves when every record that was passed in is written. */
    async drained(): Promise<void> {
      if (writing || waiting.size > 0) await new Promise<void>((resolve) => idle.add(resolve));
      await largeUnderWay;
    },
  };
}

function settle(batch: WaitingRecord[][], numbers: Map<string, number>): void {
  for (const written of batch) {
    for (const { row, resolve } of written) resolve(numbers.get(row.id) ?? null);
  }
}
