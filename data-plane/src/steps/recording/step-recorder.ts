import { setImmediate as untilNextTurn } from 'node:timers/promises';
import type { StepRecord } from '../../registry/steps/record-steps.ts';
import { createWaitingRecords, isLarge, newest, type Recorded, type WaitingRecord } from './waiting-records.ts';

/** A step that ends within this time is written once, at its end. A longer one has its intent written first. */
const intentDelayMs = 25;

/** The same for a step that a client watches, since it sees nothing of the step before the intent is written. */
const watchedDelayMs = 2;

const retryMsMin = 10;
const retryMsMax = 1000;

/** A database that has not answered a batch for so long counts as away. */
const silentMs = 2000;

type Write = (rows: StepRecord[]) => Promise<Map<string, number>>;

export type StepRecorder = ReturnType<typeof createStepRecorder>;

/**
 * Group commit of the history. Records that arrive in one turn of the event loop, or while a write is under way, are written together, so a
 * durable step costs one write if it is alone and a fraction of one under load.
 *
 * A true result is never thrown away. If a batch fails, its rows are written one by one. A row that the registry can never hold is
 * refused, alone. After any other error the row waits and is tried again, for as long as it takes.
 *
 * @param write see registry/steps/record-steps.ts
 */
export function createStepRecorder({
  write,
  writeLarge = write,
  isRowImpossible,
  onBatch,
  onFailure,
  waitingBytesMax = 64 * 1024 * 1024,
}: {
  write: Write;
  /** The same as `write`, on other connections. */
  writeLarge?: Write;
  /** Whether an error says that the registry can never hold the row. */
  isRowImpossible: (error: unknown) => boolean;
  onBatch: (rows: number) => void;
  onFailure: (error: unknown) => void;
  /** While more than this waits, the recorder is not healthy. */
  waitingBytesMax?: number;
}) {
  const records = createWaitingRecords();
  let timer: NodeJS.Timeout | undefined;
  let armedForMs = Number.POSITIVE_INFINITY;
  let writing = false;
  let batchUnderWay: Promise<unknown> = Promise.resolve();
  let batchSinceMs: number | null = null;
  /** The ids of steps whose write has failed and is tried again. */
  const failing = new Set<string>();
  let largeUnderWay: Promise<unknown> = Promise.resolve();
  /** The step that could not be written last. A round of single writes stops at it. */
  let stoppedAt = '';

  function arm(atMs: number): void {
    if (atMs >= armedForMs) return;
    clearTimeout(timer);
    armedForMs = atMs;
    timer = setTimeout(
      () => {
        armedForMs = Number.POSITIVE_INFINITY;
        if (!writing) void writeDue();
      },
      Math.max(0, atMs - performance.now()),
    );
  }

  async function writeDue(): Promise<void> {
    writing = true;
    let delayMs = retryMsMin;
    for (let batch = records.takeDue(); batch.length > 0; batch = records.takeDue()) {
      const written = writeBatch(batch);
      batchUnderWay = written;
      const left = await written;
      if (left.length === 0) {
        delayMs = retryMsMin;
        // Ends that are read in the same turn as the answer join the next batch. If nothing waits, the next end begins one.
        if (!records.isEmpty) await untilNextTurn();
      } else {
        records.putBack(left);
        await pause(delayMs);
        delayMs = Math.min(delayMs * 2, retryMsMax);
      }
    }
    writing = false;
    if (!records.isEmpty) arm(records.nextDueMs);
  }

  /** Returns the steps that could not be written now. Never throws. */
  async function writeBatch(batch: WaitingRecord[][]): Promise<WaitingRecord[][]> {
    onBatch(batch.length);
    const [first] = batch;
    if (first && batch.length === 1) return (await writeOne(first)) ? [] : batch;
    try {
      const numbers = await attempt(batch.map(newest));
      for (const step of batch) settle(step, numbers.get(newest(step).id) ?? null);
      return [];
    } catch {
      return await writeSingly(batch);
    }
  }

  /**
   * Writes one by one until a step cannot be written now, and returns those that are left, in their order. The next round begins after
   * the step at which this one stopped: if the trouble is with that step alone, it must not keep the others from being written.
   */
  async function writeSingly(batch: WaitingRecord[][]): Promise<WaitingRecord[][]> {
    const first = batch.findIndex((step) => newest(step).id === stoppedAt) + 1;
    const left = new Set(batch);
    for (const step of [...batch.slice(first), ...batch.slice(0, first)]) {
      if (!(await writeOne(step))) break;
      left.delete(step);
    }
    return [...left];
  }

  /** False: the step has to be tried again. */
  async function writeOne(step: WaitingRecord[], options?: { isBeside: true }): Promise<boolean> {
    const row = newest(step);
    try {
      const numbers = await attempt([row], options);
      settle(step, numbers.get(row.id) ?? null);
    } catch (error) {
      if (!isRowImpossible(error)) {
        failing.add(row.id);
        stoppedAt = row.id;
        return false;
      }
      settle(step, 'refused');
    }
    return true;
  }

  function settle(step: WaitingRecord[], recorded: Recorded): void {
    failing.delete(newest(step).id);
    records.settle(step, recorded);
  }

  /** `isBeside`: the row is large. */
  async function attempt(rows: StepRecord[], { isBeside = false } = {}): Promise<Map<string, number>> {
    try {
      if (isBeside) return await writeLarge(rows);
      batchSinceMs = performance.now();
      return await write(rows);
    } catch (error) {
      onFailure(error);
      // If only the answer was lost, the rows were written.
      for (const row of rows) row.mayHaveRow = true;
      throw error;
    } finally {
      if (!isBeside) batchSinceMs = null;
    }
  }

  /** Large ends are written one after the other beside the batches, so that no small record waits for them. */
  async function writeLargeUntilSettled(step: WaitingRecord[]): Promise<void> {
    // The intent may be in the batch under way.
    await batchUnderWay;
    const tryOnce = () => {
      const tried = largeUnderWay.then(() => writeOne(step, { isBeside: true }));
      largeUnderWay = tried;
      return tried;
    };
    for (let delayMs = retryMsMin; !(await tryOnce()); delayMs = Math.min(delayMs * 2, retryMsMax))
      await pause(delayMs);
  }

  return {
    /** Resolves once the registry has the step's row, with its number. Null: it gets none from this intent. */
    intent(row: StepRecord): Promise<Recorded> {
      const dueAtMs = performance.now() + intentDelayMs;
      const recorded = records.add(row, dueAtMs);
      arm(dueAtMs);
      return recorded;
    },

    /** A client watches the step: its intent, if it still waits, is written soon. */
    watched(id: string): void {
      const dueAtMs = performance.now() + watchedDelayMs;
      if (records.hasten(id, dueAtMs)) arm(dueAtMs);
    },

    /** Withdraws an intent that was not written yet. False: it may have been written, or is being written now. */
    withdraw(id: string): boolean {
      const step = records.take(id);
      if (step.length === 0) return false;
      if (newest(step).mayHaveRow) {
        records.putBack([step]);
        return false;
      }
      records.settle(step, null);
      return true;
    },

    /** Resolves once the end is durable, or is certain never to be; see `Recorded`. */
    end(row: StepRecord): Promise<Recorded> {
      // An intent that is no longer waiting was written, or is being written now.
      const isKnown = row.mayHaveRow || records.has(row.id);
      const recorded = records.add(isKnown ? row : { ...row, mayHaveRow: true }, 0);
      if (isLarge(row)) void writeLargeUntilSettled(records.take(row.id));
      else if (!writing) {
        writing = true;
        setImmediate(writeDue);
      }
      return recorded;
    },

    /** False while the database writes nothing, or more waits for it than memory should hold. No step should begin then. */
    get healthy() {
      const isSilent = batchSinceMs !== null && performance.now() - batchSinceMs > silentMs;
      return failing.size === 0 && !isSilent && records.bytes <= waitingBytesMax;
    },

    /** Resolves when every record that was passed in is settled. */
    drained: records.settled,
  };
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
