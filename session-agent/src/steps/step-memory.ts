import { listedStepsMax } from '@holdfast/specs/agent';
import { Problem } from '@holdfast/specs/public';
import type { StepCalls } from './step-calls.ts';
import type { StepInput } from './step-input.ts';
import { type Cursor, StepLog } from './step-log.ts';

/** The memory of a step besides its frames. */
const stepBytes = 512;

/** A step that is not acknowledged. `contextId` is null for a job. */
type RememberedStep = { contextId: string | null; log: StepLog; input: StepInput | null; calls: StepCalls | null };

type Beginning = { contextId: string | null; input?: StepInput | null; calls?: StepCalls | null };

/**
 * The steps and jobs that the agent knows: the ids of its whole life, so that none runs twice, and the frames of each step until the
 * data-plane acknowledges that it has recorded the end.
 */
export class StepMemory {
  #unacknowledgedBytesMax: number;
  #usedIds = new Set<string>();
  /** The ids of steps that never started and never will. */
  #burntIds = new Set<string>();
  #steps = new Map<string, RememberedStep>();
  #finishedBytes = 0;

  constructor(options: { unacknowledgedBytesMax: number }) {
    this.#unacknowledgedBytesMax = options.unacknowledgedBytesMax;
  }

  /** Checks that this id may run now. @throws Problem `step-repeated` or `results-unacknowledged` */
  admit(stepId: string): void {
    if (this.#usedIds.has(stepId) || this.#burntIds.has(stepId)) {
      throw new Problem('step-repeated', { detail: `${stepId} was used before` });
    }
    if (this.#finishedBytes > this.#unacknowledgedBytesMax) {
      const detail = `results of ${this.#finishedBytes} bytes are not acknowledged`;
      throw new Problem('results-unacknowledged', { detail, retryAfterSeconds: 1 });
    }
  }

  /** Uses up the id and opens a log for it. */
  begin(stepId: string, { contextId, input = null, calls = null }: Beginning): StepLog {
    const log = new StepLog();
    this.#usedIds.add(stepId);
    this.#steps.set(stepId, { contextId, log, input, calls });
    log.follow(() => {
      if (log.state === 'finished') this.#finishedBytes += log.bytes + stepBytes;
    });
    return log;
  }

  /** Drops the frames of finished steps and remembers their ids. Skips other ids. */
  acknowledge(stepIds: readonly string[]): void {
    for (const stepId of stepIds) {
      const step = this.#steps.get(stepId);
      if (step?.log.state !== 'finished') continue;
      this.#steps.delete(stepId);
      this.#finishedBytes -= step.log.bytes + stepBytes;
    }
  }

  /**
   * The log of a step and the position after its frame numbered `after`. `burn` uses up an unknown id, so that its step never starts.
   * @throws Problem `invalid-request` if there is no such frame yet, `not-found` if the step never started, `step-repeated` if it was
   * acknowledged
   */
  attach(stepId: string, { after, burn }: { after: number; burn: boolean }): { log: StepLog; cursor: Cursor } {
    const step = this.#steps.get(stepId);
    if (step) {
      if (after > step.log.frames) throw new Problem('invalid-request', { detail: `${stepId} has no frame ${after}` });
      return { log: step.log, cursor: step.log.cursorAfter(after) };
    }
    if (this.#usedIds.has(stepId)) throw new Problem('step-repeated', { detail: `the frames of ${stepId} are gone` });
    if (burn) this.#burntIds.add(stepId);
    throw new Problem('not-found', { detail: `${stepId} was never started${burn ? ' and will not be' : ''}` });
  }

  /** A step, or null if it was acknowledged. @throws Problem `not-found` if the id is unknown */
  find(stepId: string): RememberedStep | null {
    if (!this.#usedIds.has(stepId)) throw new Problem('not-found', { detail: `${stepId} was never started` });
    return this.#steps.get(stepId) ?? null;
  }

  /** The input of a step, or null if it accepts none. @throws Problem `not-found` if the id is unknown */
  input(stepId: string): StepInput | null {
    return this.find(stepId)?.input ?? null;
  }

  /** The steps that are not acknowledged, oldest first, up to `listedStepsMax`. */
  list(): { stepId: string; state: StepLog['state'] }[] {
    return Array.from(this.#steps, ([stepId, { log }]) => ({ stepId, state: log.state })).slice(0, listedStepsMax);
  }
}
