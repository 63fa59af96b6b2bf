import type { Cause } from '@holdfast/specs/public';
import type { StepWatch } from '../files/scan/workspace-watch.ts';
import type { Kernel } from '../kernel-process/kernel.ts';
import { logError } from '../log.ts';
import { appendChanges } from '../steps/append-changes.ts';
import { captureStep } from '../steps/capture-step.ts';
import type { OutputFiles } from '../steps/output-files.ts';
import type { StepInput } from '../steps/step-input.ts';
import type { StepLog } from '../steps/step-log.ts';
import { createStepStop, type StepStop } from '../steps/step-stop.ts';
import { type ContextKernel, KernelStartFailure } from './context-kernel.ts';
import { stepOutcome } from './step-outcome.ts';

const waitingMax = 256;

export type Limits = { outputBytesMax: number; stopGraceMs: number };

/** A step that wants its turn on the kernel. */
export type QueuedStep = {
  stepId: string;
  code: string;
  timeoutMs: number;
  ifContextEpoch?: number | undefined;
  env?: Record<string, string> | undefined;
  /** Null where the code may not ask for input. */
  input: StepInput | null;
  log: StepLog;
};

type Dependencies = {
  contextKernel: ContextKernel;
  limits: Limits;
  files: Pick<OutputFiles, 'begin'>;
  watch: StepWatch;
};

/** The steps of a context, first come, first served, one at a time. A step that could start does so before `submit` returns. */
export class StepQueue {
  #contextKernel: ContextKernel;
  #limits: Limits;
  #files: Pick<OutputFiles, 'begin'>;
  #watch: StepWatch;
  #waiting: QueuedStep[] = [];
  #current: QueuedStep | null = null;
  #stop: StepStop | null = null;
  #pauses = 0;

  constructor(deps: Dependencies) {
    this.#contextKernel = deps.contextKernel;
    this.#limits = deps.limits;
    this.#files = deps.files;
    this.#watch = deps.watch;
  }

  get running(): boolean {
    return this.#current?.log.state === 'running';
  }

  get busy(): boolean {
    return this.#current !== null || this.#waiting.length > 0;
  }

  get full(): boolean {
    return this.#waiting.length >= waitingMax;
  }

  submit(turn: QueuedStep): void {
    const position = this.#waiting.length + (this.#current ? 1 : 0);
    this.#waiting.push(turn);
    this.#next();
    if (turn.log.state === 'queued') turn.log.append('queued', { position });
  }

  /** A step that waits ends at once; one that runs is told to stop. */
  interrupt(stepId: string, cause: Cause): void {
    const waiting = this.#waiting.find((turn) => turn.stepId === stepId);
    if (waiting) {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      this.#finishUnstarted(waiting, 'interrupted', cause);
    } else if (this.#current?.stepId === stepId) {
      void this.stopRunning(cause);
    }
  }

  /** Ends all steps that have not started. */
  dropWaiting(cause: Cause): void {
    const starting = this.#current?.log.state === 'queued' ? [this.#current] : [];
    for (const turn of [...starting, ...this.#waiting.splice(0)]) this.#finishUnstarted(turn, 'interrupted', cause);
  }

  /** Tells the current step to stop and resolves when it has ended. */
  async stopRunning(cause: Cause): Promise<void> {
    const current = this.#current;
    if (!current) return;
    if (current.log.state === 'queued') this.#finishUnstarted(current, 'interrupted', cause);
    else this.#stop?.interrupt(cause);
    await current.log.untilFinished();
  }

  /** Says why the kernel is being killed; resolves when the step that ran on it has ended. */
  async kernelKilled(cause: Cause): Promise<void> {
    if (!this.running) return;
    this.#stop?.killed(cause);
    await this.#current?.log.untilFinished();
  }

  /** Starts no step while `work` is under way. */
  async pauseFor<T>(work: Promise<T>): Promise<T> {
    this.#pauses += 1;
    try {
      return await work;
    } finally {
      this.#pauses -= 1;
      this.#next();
    }
  }

  #next(): void {
    if (this.#current || this.#pauses > 0) return;
    this.#current = this.#waiting.shift() ?? null;
    if (this.#current) void this.#take(this.#current);
  }

  /** Never rejects: whatever goes wrong, the step ends and the next one has its turn. */
  async #take(turn: QueuedStep): Promise<void> {
    let kernel: Kernel | null = null;
    try {
      if (!this.#contextKernel.readyKernel) await this.#contextKernel.ready();
      const scan = this.#watch.stepStarted(turn.stepId);
      if (scan) await scan;
      kernel = this.#contextKernel.readyKernel ?? (await this.#contextKernel.ready());
      if (turn.log.state === 'queued') await this.#execute(turn, kernel);
    } catch (error) {
      if (error instanceof KernelStartFailure) this.#failToStart(turn, error.why);
      else await this.#breakOff(turn, kernel, error);
    } finally {
      this.#watch.stepDropped(turn.stepId);
      this.#current = null;
      this.#next();
    }
  }

  /** Ends a step that our own fault broke off. Its kernel goes with it, as what it is doing is not known. */
  async #breakOff(turn: QueuedStep, kernel: Kernel | null, error: unknown): Promise<void> {
    logError(`step ${turn.stepId} was broken off`, error);
    this.#stop?.clear();
    this.#stop = null;
    if (kernel) {
      this.#contextKernel.lost(kernel);
      await kernel.kill().catch((fault) => logError('a kernel could not be killed', fault));
    }
    if (turn.log.state === 'finished') return;
    this.#finishUnstarted(turn, 'failed', {
      code: 'kernel_killed',
      message: 'the session-agent failed to run the step',
    });
  }

  async #execute(turn: QueuedStep, kernel: Kernel): Promise<void> {
    const { stepId, code, env, timeoutMs, ifContextEpoch, input, log } = turn;
    if (ifContextEpoch !== undefined && ifContextEpoch !== this.#contextKernel.contextEpoch) {
      return this.#finishUnstarted(turn, 'rejected', null);
    }
    const execution = this.#contextKernel.nextExecution();
    log.append('started', execution);
    this.#announceReset(log);
    const { outputBytesMax, stopGraceMs: graceMs } = this.#limits;
    const answer = (text: string | null) => kernel.input(stepId, text);
    const capture = captureStep({ stepId, log }, { outputBytesMax, files: this.#files, input, answer });
    const stop = createStepStop(kernel, { timeoutMs, graceMs });
    this.#stop = stop;
    const startedAt = performance.now();
    const end = await kernel.execute({ stepId, code, env, stdin: input !== null }, capture);
    const durationMs = Math.round((performance.now() - startedAt) * 1000) / 1000;
    stop.clear();
    this.#stop = null;
    if (end.status === 'died') {
      this.#contextKernel.lost(kernel);
      await kernel.exited;
    }
    capture.end();
    this.#announceReset(log);
    appendChanges(log, await this.#watch.stepEnded(stepId));
    log.finish(stepOutcome({ ...execution, durationMs }, end, stop.cause));
    if (end.status === 'died') this.#contextKernel.prestart();
  }

  #announceReset(log: StepLog): void {
    if (!this.#contextKernel.takeReset()) return;
    log.append('state_reset', {
      contextEpoch: this.#contextKernel.contextEpoch,
      restored: [],
      replayed: [],
      lost: ['*'],
    });
  }

  #failToStart(turn: QueuedStep, why: Cause): void {
    if (turn.log.state === 'finished') return;
    const { code, message = `the kernel ended before it was ready (${code})` } = why;
    turn.log.append('error', { name: 'KernelStartError', message, traceback: [] });
    this.#finishUnstarted(turn, 'failed', why);
  }

  #finishUnstarted(
    { log, input }: QueuedStep,
    status: 'interrupted' | 'rejected' | 'failed',
    cause: Cause | null,
  ): void {
    const execution = { contextEpoch: this.#contextKernel.contextEpoch, executionCount: 0, durationMs: 0 };
    input?.end();
    log.finish({ ...execution, status, stateSurvived: status !== 'failed', cause });
  }
}
