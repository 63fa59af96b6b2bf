import { Problem } from '@holdfast/specs/public';
import type { StepInput } from './step-input.ts';
import { type Cursor, StepLog } from './step-log.ts';

/** What a step costs beside its frames. */
const stepBytes = 512;

/** `contextId` is null for a job. */
type Kept = { contextId: string | null; log: StepLog; input: StepInput | null };

/**
 * What the agent knows of steps: the ids of its whole life, so that none runs twice, and the frames of each step until the
 * data-plane has said that its end is recorded.
 */
export class StepMemory {
  #unacknowledgedBytesMax: number;
  #seen = new Set<string>();
  #kept = new Map<string, Kept>();
  #finishedBytes = 0;

  constructor(options: { unacknowledgedBytesMax: number }) {
    this.#unacknowledgedBytesMax = options.unacknowledgedBytesMax;
  }

  /** @throws Problem `step-repeated` or `results-unacknowledged` where this id must not run now. */
  admit(stepId: string): void {
    if (this.#seen.has(stepId)) throw new Problem('step-repeated', { detail: `${stepId} was used before` });
    if (this.#finishedBytes > this.#unacknowledgedBytesMax) {
      const detail = `results of ${this.#finishedBytes} bytes are not acknowledged`;
      throw new Problem('results-unacknowledged', { detail, retryAfterSeconds: 1 });
    }
  }

  /** Uses the id up and keeps a log for it. */
  begin(stepId: string, { contextId, input = null }: { contextId: string | null; input?: StepInput | null }): StepLog {
    const log = new StepLog();
    this.#seen.add(stepId);
    this.#kept.set(stepId, { contextId, log, input });
    void log.untilFinished().then(() => {
      this.#finishedBytes += log.bytes + stepBytes;
    });
    return log;
  }

  /** Forgets the frames of finished steps; the ids stay known. Others are passed over. */
  acknowledge(stepIds: readonly string[]): void {
    for (const stepId of stepIds) {
      const kept = this.#kept.get(stepId);
      if (kept?.log.state !== 'finished') continue;
      this.#kept.delete(stepId);
      this.#finishedBytes -= kept.log.bytes + stepBytes;
    }
  }

  /**
   * The log of a step and the place behind its frame numbered `after`. `burn` uses an id up that was never seen.
   * @throws Problem `invalid-request` where there is no such frame yet; `not-found` where the id was never seen; `step-repeated`
   * where the step was acknowledged or its id used up so.
   */
  attach(stepId: string, { after, burn }: { after: number; burn: boolean }): { log: StepLog; cursor: Cursor } {
    const kept = this.#kept.get(stepId);
    if (kept) {
      if (after > kept.log.frames) throw new Problem('invalid-request', { detail: `${stepId} has no frame ${after}` });
      return { log: kept.log, cursor: kept.log.cursorAfter(after) };
    }
    if (this.#seen.has(stepId)) throw new Problem('step-repeated', { detail: `nothing is left of ${stepId}` });
    if (burn) this.#seen.add(stepId);
    throw new Problem('not-found', { detail: `${stepId} was never started${burn ? ' and will not be' : ''}` });
  }

  /** What is kept of a step, or null for one that is acknowledged. @throws Problem `not-found` where the id was never seen. */
  find(stepId: string): Kept | null {
    if (!this.#seen.has(stepId)) throw new Problem('not-found', { detail: `${stepId} was never started` });
    return this.#kept.get(stepId) ?? null;
  }

  /** The input of a step, or null where it takes none. @throws Problem `not-found` where the id was never seen. */
  input(stepId: string): StepInput | null {
    return this.find(stepId)?.input ?? null;
  }

  /** The steps that are not acknowledged, oldest first. */
  list(): { stepId: string; state: StepLog['state'] }[] {
    return Array.from(this.#kept, ([stepId, { log }]) => ({ stepId, state: log.state }));
  }
}
