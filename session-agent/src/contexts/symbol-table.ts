import type { KernelSymbol } from '@holdfast/specs';
import type { Kernel } from '../kernel/kernel.ts';
import type { KernelLives } from './kernel-lives.ts';
import type { TurnQueue } from './turn-queue.ts';

/** A kernel that takes longer to say what it holds is broken. */
const answerMsMax = 10_000;

export type SymbolReport = { contextEpoch: number; stale: boolean; symbols: KernelSymbol[] };

/** What a context's kernel holds, as it said when it could last be asked. */
export class SymbolTable {
  #lives: KernelLives;
  #turns: TurnQueue;
  #last: { contextEpoch: number; symbols: KernelSymbol[] } = { contextEpoch: 1, symbols: [] };
  #asking: Promise<void> | null = null;

  constructor(deps: { lives: KernelLives; turns: TurnQueue }) {
    this.#lives = deps.lives;
    this.#turns = deps.turns;
  }

  /** Asks the kernel where it is idle; while it is busy, tells the last answer as stale. */
  async report(): Promise<SymbolReport> {
    const kernel = this.#lives.readyKernel;
    const stale = kernel !== null && this.#turns.busy && !this.#asking;
    if (kernel && !stale) {
      this.#asking ??= this.#ask(kernel);
      await this.#asking;
    }
    const { contextEpoch } = this.#lives;
    const symbols = this.#last.contextEpoch === contextEpoch ? this.#last.symbols : [];
    return { contextEpoch, stale, symbols };
  }

  async #ask(kernel: Kernel): Promise<void> {
    const { contextEpoch } = this.#lives;
    const timer = setTimeout(() => void kernel.kill(), answerMsMax);
    try {
      this.#last = { contextEpoch, symbols: await this.#turns.pauseFor(kernel.symbols()) };
    } catch {
      // The kernel has died: there is nothing to tell, and its death is announced by the next step.
    } finally {
      clearTimeout(timer);
      this.#asking = null;
    }
  }
}
