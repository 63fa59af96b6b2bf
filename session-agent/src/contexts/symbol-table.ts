import type { KernelSymbol } from '@holdfast/specs/public';
import type { Kernel } from '../kernel-process/kernel.ts';
import { settledWithin } from '../kernel-process/settled-within.ts';
import type { ContextKernel } from './context-kernel.ts';
import type { StepQueue } from './step-queue.ts';

/** How long a new step waits for the answer at most. */
const answerMsMaxDefault = 2000;

export type SymbolReport = { contextEpoch: number; stale: boolean; symbols: KernelSymbol[] };

/** `inTime` says whether the answer came within the limit. */
type Question = { kernel: Kernel; inTime: Promise<boolean> };

/** The names defined in a context's kernel, as of its last answer. A kernel that answers slowly is not killed. */
export class SymbolTable {
  #contextKernel: ContextKernel;
  #queue: StepQueue;
  #answerMsMax: number;
  #last: { contextEpoch: number; symbols: KernelSymbol[] } = { contextEpoch: 1, symbols: [] };
  #question: Question | null = null;

  constructor(deps: { contextKernel: ContextKernel; queue: StepQueue; answerMsMax?: number }) {
    this.#contextKernel = deps.contextKernel;
    this.#queue = deps.queue;
    this.#answerMsMax = deps.answerMsMax ?? answerMsMaxDefault;
  }

  /** Asks the kernel if it is idle. If it is busy or does not answer in time, returns the last answer as `stale`. */
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
    // A late answer is noted as well. The kernel gives it before it begins the next step, so that step need not wait for it.
    const answer = kernel
      .symbols()
      .then(
        (symbols) => {
          this.#last = { contextEpoch, symbols };
        },
        // The kernel has died, which the next step will report.
        () => {},
      )
      .finally(() => {
        if (this.#question === question) this.#question = null;
      });
    const question = { kernel, inTime: this.#queue.pauseFor(settledWithin(answer, this.#answerMsMax)) };
    return question;
  }
}
