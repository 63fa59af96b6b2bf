import type { StepRecord } from '../../registry/steps/record-steps.ts';

/** A step that ends within this time is written once, at its end; a longer one has its intent written first. */
const intentDelayMs = 2;

/** A batch stays small and quick; an end that is larger by itself is written beside the batches. */
const batchedEventsBytesMax = 256 * 1024;
const batchRowsMax = 500;
const retryMsMax = 1000;
const refusalsMax = 5;

type Waiting = { row: StepRecord; resolve: (number: number | null) => void; dueAtMs: number };

type Write = (rows: StepRecord[]) => Promise<Map<string, number>>;

export type StepRecorder = ReturnType<typeof createStepRecorder>;

/**
 * Group commit of the history: while one write is under way, what comes in waits and goes out with the next, so that a durable
 * step costs one write alone and a fraction of one under load. A write that fails is repeated row by row, and for as long as the
 * database is away.
 *
 * @param write see registry/record-steps.ts
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
  /** The same on other connections. */
  writeLarge?: Write;
  /** Whether the database will refuse the same row again. */
  isPermanent: (error: unknown) => boolean;
  /** Whether the database is away. */
  isUnavailable: (error: unknown) => boolean;
  onBatch: (rows: number) => void;
  onFailure: (error: unknown) => void;
}) {
  /** By step id, in order of arrival: a step's end takes the place of its intent. */
  const waiting = new Map<string, Waiting[]>();
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
    for (let batch = takeBatch(waiting); batch.length > 0; batch = takeBatch(waiting)) {
      batchUnderWay = writeBatch(batch);
      await batchUnderWay;
    }
    writing = false;
    if (waiting.size > 0) arm();
    else for (const resolve of idle) resolve();
  }

  async function writeBatch(batch: Waiting[][]): Promise<void> {
    onBatch(batch.length);
    try {
      settle(batch, await write(batch.map((step) => last(step).row)));
      failing = false;
    } catch (error) {
      onFailure(error);
      for (const step of batch) {
        last(step).row.isKnown = true;
        await writeUntilSettled(step, write);
      }
    }
  }

  /** Large ends go one after the other beside the batches, so that nobody's small ones wait for them. */
  function endLarge(row: StepRecord): Promise<number | null> {
    const intent = waiting.get(row.id) ?? [];
    waiting.delete(row.id);
    return new Promise((resolve) => {
      const step = [...intent, { row: { ...row, isKnown: row.isKnown || intent.length === 0 }, resolve, dueAtMs: 0 }];
      // The intent may be in the batch under way.
      const before = Promise.all([largeUnderWay, batchUnderWay]);
      largeUnderWay = before.then(() => writeUntilSettled(step, writeLarge));
    });
  }

  /** Tries for as long as the database is away, and a few times more where it refuses: nobody else's rows wait for this one then. */
  async function writeUntilSettled(step: Waiting[], writeOne: Write): Promise<void> {
    let { row } = last(step);
    for (let delayMs = 10, refusals = 0; refusals < refusalsMax; delayMs = Math.min(delayMs * 2, retryMsMax)) {
      try {
        settle([step], await writeOne([row]));
        failing = false;
        return;
      } catch (error) {
        onFailure(error);
        // What failed on its way back may have been written.
        row = { ...row, isKnown: true };
        failing = isUnavailable(error);
        if (isPermanent(error)) break;
        if (!failing) refusals++;
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    }
    settle([step], new Map());
  }

  return {
    /** Promises that the registry knows the step; resolves with its number. */
    intent(row: StepRecord): Promise<number | null> {
      const written = add(row, performance.now() + intentDelayMs);
      arm();
      return written;
    },

    /** Takes back an intent that was not written yet; false where it was, or is just being written. */
    withdraw(id: string): boolean {
      const written = waiting.get(id);
      waiting.delete(id);
      for (const { resolve } of written ?? []) resolve(null);
      return written !== undefined;
    },

    /** Resolves once the end is durable: the step's number, or null where its row was ended by another or its session is gone. */
    end(row: StepRecord): Promise<number | null> {
      if ((row.events?.length ?? 0) > batchedEventsBytesMax) return endLarge(row);
      // An intent that does not wait any more has been written, or is just being written.
      const written = add({ ...row, isKnown: row.isKnown || !waiting.has(row.id) }, 0);
      if (!writing) void writeDue();
      return written;
    },

    /** False while the database does not take writes: nothing new should begin. */
    get healthy() {
      return !failing;
    },

    /** Resolves when all that was given is written. */
    async drained(): Promise<void> {
      if (writing || waiting.size > 0) await new Promise<void>((resolve) => idle.add(resolve));
      await largeUnderWay;
    },
  };
}

/**
 * What is due, in order of arrival, and what came before it in the same sessions: their numbers follow that order. An intent that
 * is not due yet may still be spared by its end.
 */
function takeBatch(waiting: Map<string, Waiting[]>): Waiting[][] {
  const nowMs = performance.now();
  const sessions = new Set<string>();
  for (const step of waiting.values()) {
    const { row, dueAtMs } = last(step);
    if (dueAtMs <= nowMs) sessions.add(row.sessionId);
  }
  const batch: Waiting[][] = [];
  let bytes = 0;
  for (const [id, step] of waiting) {
    const { row } = last(step);
    if (!sessions.has(row.sessionId)) continue;
    bytes += row.events?.length ?? 0;
    if (batch.length > 0 && (bytes > batchedEventsBytesMax || batch.length >= batchRowsMax)) break;
    waiting.delete(id);
    batch.push(step);
  }
  return batch;
}

function settle(batch: Waiting[][], numbers: Map<string, number>): void {
  for (const written of batch) {
    for (const { row, resolve } of written) resolve(numbers.get(row.id) ?? null);
  }
}

const last = (step: Waiting[]): Waiting => step[step.length - 1] as Waiting;
