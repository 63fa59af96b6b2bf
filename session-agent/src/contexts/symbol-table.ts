import type { KernelSymbol } from '@holdfast/specs/public';
import type { Kernel } from '../kernel-process/kernel.ts';
import { settledWithin } from '../kernel-process/settled-within.ts';
import type { KernelLives } from './kernel-lives.ts';
import type { TurnQueue } from './turn-queue.ts';

/** How long a step that comes meanwhile waits for the answer at most. */
const answerMsMaxDefault = 2000;

export type SymbolReport = { contextEpoch: number; stale: boolean; symbols: KernelSymbol[] };

/** `inTime` says whether the answer came within the limit. */
type Question = { kernel: Kernel; inTime: Promise<boolean> };

/** What a context's kernel holds, as it said when it was last asked. To ask costs it nothing: a kernel that is slow stays. */
export class SymbolTable {
  #lives: KernelLives;
  #turns: TurnQueue;
  #answerMsMax: number;
  #last: { contextEpoch: number; symbols: KernelSymbol[] } = { contextEpoch: 1, symbols: [] };
  #question: Question | null = null;

  constructor(deps: { lives: KernelLives; turns: TurnQueue; answerMsMax?: number }) {
    this.#lives = deps.lives;
    this.#turns = deps.turns;
    this.#answerMsMax = deps.answerMsMax ?? answerMsMaxDefault;
  }

  /** Asks the kernel where it is idle. While it is busy, or does not answer in time, tells the last answer as stale. */
  async report(): Promise<SymbolReport> {
    const stale = !(await this.#isCurrent());
    const { contextEpoch } = this.#lives;
    const symbols = this.#last.contextEpoch === contextEpoch ? this.#last.symbols : [];
    return { contextEpoch, stale, symbols };
  }

  #isCurrent(): boolean | Promise<boolean> {
    const kernel = this.#lives.readyKernel;
    if (!kernel) return true;
    if (this.#question?.kernel !== kernel) {
      if (this.#turns.busy) return false;
      this.#question = this.#ask(kernel);
    }
    return this.#question.inTime;
  }

  #ask(kernel: Kernel): Question {
    const { contextEpoch } = this.#lives;
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
    const question = { kernel, inTime: this.#turns.pauseFor(settledWithin(answer, this.#answerMsMax)) };
    return question;
  }
}
