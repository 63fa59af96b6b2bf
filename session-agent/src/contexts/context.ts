import type { AgentContext, Cause, Language } from '@holdfast/specs';
import type { StartKernel } from '../kernel/kernel.ts';
import { KernelLives } from './kernel-lives.ts';
import { type SymbolReport, SymbolTable } from './symbol-table.ts';
import { type Limits, type Turn, TurnQueue } from './turn-queue.ts';

export type ContextOptions = {
  id: string;
  language: Language;
  /** Relative to the workspace. */
  cwd: string;
  absoluteCwd: string;
  env: Record<string, string>;
};

/** One isolated interpreter state: a kernel at a time and the steps that wait for it. */
export class Context {
  readonly options: Readonly<ContextOptions>;
  #lives: KernelLives;
  #turns: TurnQueue;
  #symbols: SymbolTable;

  constructor(deps: { startKernel: StartKernel; limits: Limits }, options: ContextOptions) {
    this.options = options;
    const { language, absoluteCwd: cwd, env } = options;
    const onBackground = () => {};
    this.#lives = new KernelLives(() => deps.startKernel({ language, cwd, env, onBackground }));
    this.#turns = new TurnQueue({ lives: this.#lives, limits: deps.limits });
    this.#symbols = new SymbolTable({ lives: this.#lives, turns: this.#turns });
  }

  get contextEpoch(): number {
    return this.#lives.contextEpoch;
  }

  get busy(): boolean {
    return this.#turns.busy;
  }

  get full(): boolean {
    return this.#turns.full;
  }

  status(): AgentContext {
    const { id, language, cwd } = this.options;
    const kernel = this.#lives.state;
    const state = this.#turns.running ? 'busy' : kernel === 'ready' ? 'idle' : kernel;
    return { contextId: id, language, contextEpoch: this.contextEpoch, state, cwd };
  }

  prestart(): void {
    this.#lives.prestart();
  }

  run(turn: Turn): void {
    this.#turns.submit(turn);
  }

  interrupt(stepId: string): void {
    this.#turns.interrupt(stepId, { code: 'interrupt' });
  }

  /** Kills the kernel; the running step ends with it, the waiting ones go on in the next. */
  async restart(): Promise<void> {
    const ended = this.#turns.kernelKilled({ code: 'context_restarted' });
    await Promise.all([this.#lives.restart(), ended]);
  }

  /** Ends all steps and the kernel for good. */
  async end(cause: Cause): Promise<void> {
    this.#turns.dropWaiting(cause);
    const ended = this.#turns.kernelKilled(cause);
    await Promise.all([this.#lives.close(), ended]);
  }

  /** Ends all steps, the running one by interrupt, and resolves when none is left. The kernel stays. */
  async quiesce(cause: Cause): Promise<void> {
    this.#lives.retire();
    this.#turns.dropWaiting(cause);
    await this.#turns.stopRunning(cause);
  }

  symbols(): Promise<SymbolReport> {
    return this.#symbols.report();
  }
}
