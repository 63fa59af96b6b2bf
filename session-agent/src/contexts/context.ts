import type { AgentContext } from '@holdfast/specs/agent';
import type {
  BackgroundPage,
  Cause,
  CodeAtCursor,
  Completions,
  ContextLimits,
  Inspection,
  Language,
} from '@holdfast/specs/public';
import type { StepWatch } from '../files/workspace-watch.ts';
import type { KernelOptions, StartKernel } from '../kernel-process/kernel.ts';
import type { OutputFiles } from '../steps/output-files.ts';
import { BackgroundOutput } from './background-output.ts';
import { CodeHelp } from './code-help.ts';
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
  limits?: ContextLimits | undefined;
};

type Dependencies = {
  startKernel: StartKernel;
  limits: Limits;
  files: Pick<OutputFiles, 'begin'>;
  watch: StepWatch;
};

/** One isolated interpreter state: a kernel at a time and the steps that wait for it. */
export class Context {
  readonly options: Readonly<ContextOptions>;
  #lives: KernelLives;
  #turns: TurnQueue;
  #symbols: SymbolTable;
  #help: CodeHelp;
  #background = new BackgroundOutput();

  constructor(deps: Dependencies, options: ContextOptions) {
    this.options = options;
    const { language, absoluteCwd: cwd, env, limits } = options;
    const onBackground: KernelOptions['onBackground'] = (...output) => this.#background.push(...output);
    this.#lives = new KernelLives(() => deps.startKernel({ language, cwd, env, limits, onBackground }));
    this.#turns = new TurnQueue({ ...deps, lives: this.#lives });
    this.#symbols = new SymbolTable({ lives: this.#lives, turns: this.#turns });
    this.#help = new CodeHelp({ lives: this.#lives, turns: this.#turns });
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

  /** @throws Problem `context-busy` while a step runs. */
  complete(place: CodeAtCursor): Promise<Completions> {
    return this.#help.complete(place);
  }

  /** As `complete`. */
  inspect(place: CodeAtCursor): Promise<Inspection> {
    return this.#help.inspect(place);
  }

  /** Output that came after its step's end, from the item behind `after` on. */
  background(after: number): BackgroundPage {
    return this.#background.page(after);
  }
}
