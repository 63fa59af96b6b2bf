import type { KernelSymbol } from '@holdfast/specs/public';
import type { Kernel } from '../kernel-process/kernel.ts';
import { settledWithin } from '../kernel-process/settled-within.ts';
import type { ContextKernel } from './context-kernel.ts';
import type { StepQueue } from './step-queue.ts';

/** How long a step that comes meanwhile waits for the answer at most. */
const answerMsMaxDefault = 2000;

export type SymbolReport = { contextEpoch: number; stale: boolean; symbols: KernelSymbol[] };

/** `inTime` says whether the answer came within the limit. */
type Question = { kernel: Kernel; inTime: Promise<boolean> };

/** What a context's kernel holds, as it said when it was last asked. To ask costs it nothing: a kernel that is slow stays. */
export class SymbolTable {
  #contextKernel: ContextKernel;
  #queue: StepQueue;
  #answerMsMax: number;
  #last: { contextEpoch: number; symbols: KernelSymbol[] } = { contextEpoch: 1, symbols: [] };
  #question: Question | null = null;

  constructor(deps: { contextKernel: ContextKernel; turns: StepQueue; answerMsMax?: number }) {
    this.#contextKernel = deps.contextKernel;
    this.#queue = deps.turns;
    this.#answerMsMax = deps.answerMsMax ?? answerMsMaxDefault;
  }

  /** Asks the kernel where it is idle. While it is busy, or does not answer in time, tells the last answer as stale. */
  async report(): Promise<SymbolReport> {
    const stale = !(await this.#isCurrent());
    const { contextEpoch } = this.#contextKernel;
    const symbols = this.#last.contextEpoch === contextEpoch ? this.#last.symbols : [];
    return { contextEpoch, stale, symbols };
  }

  #isCurrent(): boolean | Promise<boolean> {
    const kernel = this.#contextKernel.readyKernel;
    if (!kernel) return true;
    if (this.#question?.kernel !== kernel) {
      if (this.#queue.busy) return false;
      this.#question = this.#ask(kernel);
    }
    return this.#question.inTime;
  }

  #ask(kernel: Kernel): Question {
    const { contextEpoch } = this.#contextKernel;
    // Also a late answer is noted. The kernel gives it before it begins the next step, which therefore need not wait for it.
    const answer = kernel
      .symbols()
      .then(
        (symbols) => {
          this.#last = { contextEpoch, symbols };
        },
        // The kernel has died: there is nothing to tell, and its death is announced by the next step.
        () => {},
      )
      .finally(() => {
        if (this.#question === question) this.#question = null;
      });
    const question = { kernel, inTime: this.#queue.pauseFor(settledWithin(answer, this.#answerMsMax)) };
    return question;
  }
}
