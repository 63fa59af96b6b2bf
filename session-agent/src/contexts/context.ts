import type { AgentContext, RecoveredContext } from '@holdfast/specs/agent';
import {
  type BackgroundPage,
  type Cause,
  type CodeAtCursor,
  type Completions,
  type ContextLimits,
  type Inspection,
  type Language,
  languagesWithSnapshots,
  type ParsedCode,
  Problem,
} from '@holdfast/specs/public';
import type { StepWatch } from '../files/scan/workspace-watch.ts';
import type { Kernel, KernelOptions, StartKernel } from '../kernel-process/kernel.ts';
import type { OutputFiles } from '../steps/output-files.ts';
import { BackgroundOutput } from './background-output.ts';
import { CodeHelp } from './code-help.ts';
import { ContextKernel } from './context-kernel.ts';
import { type Loading, RecoverableState, type TakenSnapshot, type WantedSnapshot } from './recoverable-state.ts';
import type { QueuedStep, StepLimits } from './run-step.ts';
import type { SessionRules } from './session-rules.ts';
import { StepQueue } from './step-queue.ts';
import { type SymbolReport, SymbolTable } from './symbol-table.ts';

export type ContextOptions = {
  id: string;
  language: Language;
  /** Relative to the workspace. */
  cwd: string;
  absoluteCwd: string;
  env: Record<string, string>;
  limits?: ContextLimits | undefined;
  firstContextEpoch: number;
  /** Whether it gets its state back when its kernel is lost. */
  keepsState: boolean;
  rules: Pick<SessionRules, 'isConfining' | 'assertLanguage'>;
};

type Dependencies = {
  startKernel: StartKernel;
  limits: StepLimits;
  files: Pick<OutputFiles, 'begin'>;
  watch: StepWatch;
  workspace: string;
  /** For archives and FIFOs. */
  tmp: string;
};

/** One interpreter state: a kernel at a time and the steps that wait for it. */
export class Context {
  readonly options: Readonly<ContextOptions>;
  #contextKernel: ContextKernel;
  #queue: StepQueue;
  #symbols: SymbolTable;
  #codeHelp: CodeHelp;
  #background = new BackgroundOutput();
  #state: RecoverableState;

  constructor(deps: Dependencies, options: ContextOptions) {
    this.options = options;
    const { language, absoluteCwd: cwd, env, limits, firstContextEpoch, rules } = options;
    const onBackground: KernelOptions['onBackground'] = (...output) => this.#background.push(...output);
    const onBackgroundComm: KernelOptions['onBackgroundComm'] = (...message) => this.#background.pushComm(...message);
    const own = { language, cwd, env, limits, onBackground, onBackgroundComm };
    const startKernel = () => deps.startKernel({ ...own, isConfined: rules.isConfining });
    const keeps = options.keepsState && languagesWithSnapshots.has(language);
    const revive = keeps ? (kernel: Kernel) => this.#state.revive(kernel) : null;
    this.#contextKernel = new ContextKernel(startKernel, { firstContextEpoch, revive });
    this.#queue = new StepQueue({
      ...deps,
      contextKernel: this.#contextKernel,
      assertAllowed: () => rules.assertLanguage(language),
      onRun: keeps ? (step, status) => this.#state.note(step, status) : undefined,
    });
    this.#state = new RecoverableState({
      tmp: deps.tmp,
      contextKernel: this.#contextKernel,
      queue: this.#queue,
      keeps,
    });
    this.#symbols = new SymbolTable({ contextKernel: this.#contextKernel, queue: this.#queue });
    this.#codeHelp = new CodeHelp({ contextKernel: this.#contextKernel, queue: this.#queue });
  }

  get contextEpoch(): number {
    return this.#contextKernel.contextEpoch;
  }

  get busy(): boolean {
    return this.#queue.busy;
  }

  get full(): boolean {
    return this.#queue.full;
  }

  status(): AgentContext {
    const { id, language, cwd } = this.options;
    const kernel = this.#contextKernel.state;
    const state = this.#queue.running ? 'busy' : kernel === 'ready' ? 'idle' : kernel;
    return { contextId: id, language, contextEpoch: this.contextEpoch, state, cwd };
  }

  prestart(): void {
    this.#contextKernel.prestart();
  }

  run(step: QueuedStep): void {
    this.#queue.submit(step);
  }

  interrupt(stepId: string): void {
    this.#queue.interrupt(stepId, { code: 'interrupt' });
  }

  /** Kills the kernel, which ends the running step. The waiting steps run in the next kernel. */
  async restart(): Promise<void> {
    const ended = this.#queue.kernelKilled({ code: 'context_restarted' });
    await Promise.all([this.#contextKernel.restart(), ended, this.#state.forget()]);
  }

  /** Keeps its code from starting programs. A step that runs goes on; no other one starts before this holds. */
  async confine(): Promise<void> {
    const { busy } = this;
    const confined = this.#queue.pauseFor(this.#confineWhenIdle());
    if (!busy) await confined;
  }

  /** No one can give a filter to a process that runs, and its code may have changed the kernel, which could then lie about a filter of its own. */
  async #confineWhenIdle(): Promise<void> {
    await this.#queue.untilStepEnded();
    // The policy may have been loosened while a step ran.
    if (!this.options.rules.isConfining) return;
    const kernel = await this.#contextKernel.ready().catch(() => null);
    if (kernel && !kernel.isConfined) await this.#contextKernel.replace(kernel);
  }

  /**
   * Saves the state between two steps. Null if nothing has run.
   * @throws Problem `context-busy`, `unsupported-by-runtime` or `sandbox-failed`
   */
  snapshot(wanted: WantedSnapshot): Promise<TakenSnapshot | null> {
    this.#assertSnapshots();
    return this.#state.snapshot(wanted);
  }

  /**
   * Gives the context this state instead of its own.
   * @throws Problem `context-busy` or `sandbox-failed`
   */
  recover(state: Loading): Promise<RecoveredContext> {
    return this.#state.recover(state, { isSupported: languagesWithSnapshots.has(this.options.language) });
  }

  #assertSnapshots(): void {
    const { language } = this.options;
    if (languagesWithSnapshots.has(language)) return;
    throw new Problem('unsupported-by-runtime', { detail: `a ${language} context cannot be saved` });
  }

  /** Ends all steps and the kernel for good. */
  async end(cause: Cause): Promise<void> {
    this.#queue.dropWaiting(cause);
    const ended = this.#queue.kernelKilled(cause);
    await Promise.all([this.#contextKernel.close(), ended, this.#state.forget()]);
  }

  /** Ends all steps, the running one by an interrupt, and resolves when they have ended. The kernel stays. */
  async quiesce(cause: Cause): Promise<void> {
    this.#contextKernel.retire();
    this.#queue.dropWaiting(cause);
    await this.#queue.stopRunning(cause);
  }

  symbols(): Promise<SymbolReport> {
    return this.#symbols.report();
  }

  /** @throws Problem `context-busy` while a step runs */
  complete(at: CodeAtCursor): Promise<Completions> {
    return this.#codeHelp.complete(at);
  }

  /** Same rules as for `complete`. */
  inspect(at: CodeAtCursor): Promise<Inspection> {
    return this.#codeHelp.inspect(at);
  }

  /** @throws Problem `context-busy` */
  parse(code: string): Promise<ParsedCode> {
    return this.#codeHelp.parse(code);
  }

  /** Output that came after the end of its step, beginning after the item numbered `after`. */
  background(after: number): BackgroundPage {
    return this.#background.page(after);
  }
}
