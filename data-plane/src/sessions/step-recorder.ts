import type { StepRecord } from '../registry/record-steps.ts';

/** A step that ends within this time is written once, at its end; a longer one, or one with output, has its intent written first. */
const intentDelayMs = 2;

/** Larger rows are written alone, so that a batch stays small and quick. */
const batchedEventsBytesMax = 256 * 1024;
const batchRowsMax = 500;
const retryMsMax = 1000;

type Written = { row: StepRecord; resolve: (number: number | null) => void };

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
  isPermanent,
  onBatch,
  onFailure,
}: {
  write: (rows: StepRecord[]) => Promise<Map<string, number>>;
  /** Whether the database will refuse the same row again. */
  isPermanent: (error: unknown) => boolean;
  onBatch: (rows: number) => void;
  onFailure: (error: unknown) => void;
}) {
  /** By step id, in order of arrival: a step's end takes the place of its intent. */
  const waiting = new Map<string, Written[]>();
  let timer: NodeJS.Timeout | null = null;
  let writing = false;
  let failing = false;
  const idle = new Set<() => void>();

  function add(row: StepRecord): Promise<number | null> {
    return new Promise((resolve) => {
      const earlier = waiting.get(row.id);
      if (earlier) earlier.push({ row, resolve });
      else waiting.set(row.id, [{ row, resolve }]);
    });
  }

  function flush(): void {
    if (timer) clearTimeout(timer);
    timer = null;
    if (!writing) void writeAll();
  }

  async function writeAll(): Promise<void> {
    writing = true;
    while (waiting.size > 0) {
      const batch: Written[][] = [];
      let bytes = 0;
      for (const [id, written] of waiting) {
        bytes += last(written).row.events?.length ?? 0;
        if (batch.length > 0 && (bytes > batchedEventsBytesMax || batch.length >= batchRowsMax)) break;
        waiting.delete(id);
        batch.push(written);
      }
      await writeBatch(batch);
    }
    writing = false;
    for (const resolve of idle) resolve();
    idle.clear();
  }

  async function writeBatch(batch: Written[][]): Promise<void> {
    onBatch(batch.length);
    try {
      settle(batch, await write(batch.map((written) => last(written).row)));
    } catch (error) {
      onFailure(error);
      for (const written of batch) await writeUntilDone(written);
    }
  }

  async function writeUntilDone(written: Written[]): Promise<void> {
    for (let delayMs = 10; ; delayMs = Math.min(delayMs * 2, retryMsMax)) {
      try {
        settle([written], await write([last(written).row]));
        failing = false;
        return;
      } catch (error) {
        onFailure(error);
        if (isPermanent(error)) return settle([written], new Map());
        failing = true;
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    }
  }

  return {
    /** Promises that the registry knows the step; resolves with its number. */
    intent(row: StepRecord): Promise<number | null> {
      const written = add(row);
      timer ??= setTimeout(flush, intentDelayMs);
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
      const written = add(row);
      flush();
      return written;
    },

    /** False while the database does not take writes: nothing new should begin. */
    get healthy() {
      return !failing;
    },

    /** Resolves when all that was given is written. */
    async drained(): Promise<void> {
      flush();
      if (writing) await new Promise<void>((resolve) => idle.add(resolve));
    },
  };
}

function settle(batch: Written[][], numbers: Map<string, number>): void {
  for (const written of batch) {
    for (const { row, resolve } of written) resolve(numbers.get(row.id) ?? null);
  }
}

const last = (written: Written[]): Written => written[written.length - 1] as Written;
