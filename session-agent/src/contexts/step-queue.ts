import type { Cause } from '@holdfast/specs/public';
import { SharedTimer } from '../steps/shared-timer.ts';
import { type CurrentStep, finishUnstarted, type QueuedStep, type RunDependencies, runStep } from './run-step.ts';

const waitingMax = 256;

/** The steps of a context, first come, first served, one at a time. A step that can start does so before `submit` returns. */
export class StepQueue {
  #deps: RunDependencies;
  #waiting: QueuedStep[] = [];
  #current: CurrentStep | null = null;
  #pauses = 0;

  constructor(deps: Omit<RunDependencies, 'timer' | 'onFailed'>) {
    this.#deps = { ...deps, timer: new SharedTimer(), onFailed: (step) => this.#failed(step) };
  }

  get running(): boolean {
    return this.#current?.step.log.state === 'running';
  }

  get busy(): boolean {
    return this.#current !== null || this.#waiting.length > 0;
  }

  get full(): boolean {
    return this.#waiting.length >= waitingMax;
  }

  submit(step: QueuedStep): void {
    const position = this.#waiting.length + (this.#current ? 1 : 0);
    this.#waiting.push(step);
    this.#next();
    if (step.log.state === 'queued') step.log.append('queued', { position });
  }

  /** Ends a waiting step at once; stops a running one. */
  interrupt(stepId: string, cause: Cause): void {
    const waiting = this.#waiting.find((step) => step.stepId === stepId);
    if (waiting) {
      this.#drop(waiting, cause);
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
    } else if (this.#current?.step.stepId === stepId) {
      void this.stopRunning(cause);
    }
  }

  /** Ends all steps that have not started. */
  dropWaiting(cause: Cause): void {
    const starting = this.#current?.step.log.state === 'queued' ? [this.#current.step] : [];
    for (const step of [...starting, ...this.#waiting.splice(0)]) this.#drop(step, cause);
  }

  /** Stops the current step; resolves when it has ended. */
  async stopRunning(cause: Cause): Promise<void> {
    const current = this.#current;
    if (!current) return;
    const { step, stop } = current;
    if (step.log.state === 'queued') this.#drop(step, cause);
    else stop?.interrupt(cause);
    await step.log.untilFinished();
  }

  /** Call when the kernel is being killed: `cause` becomes that of the running step. Resolves when this step has ended. */
  async kernelKilled(cause: Cause): Promise<void> {
    if (!this.running) return;
    this.#current?.stop?.killed(cause);
    await this.#current?.step.log.untilFinished();
  }

  /** Resolves when the current step has ended; at once if there is none. */
  async untilStepEnded(): Promise<void> {
    await this.#current?.step.log.untilFinished();
  }

  /** Starts no step until `work` has settled. */
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
    const step = this.#waiting.shift();
    if (!step) return;
    this.#current = { step, stop: null };
    void runStep(this.#deps, this.#current, () => {
      this.#current = null;
      this.#next();
    });
  }

  #drop(step: QueuedStep, cause: Cause): void {
    finishUnstarted(this.#deps, step, { status: 'interrupted', cause });
  }

  /** Rejects what waits behind the step, if it wants that. A step that has left the queue for the kernel is before all that wait. */
  #failed(step: QueuedStep): void {
    if (step.onError !== 'drop-queue') return;
    const behind = this.#waiting.splice(this.#waiting.indexOf(step) + 1);
    const message = `the step ${step.stepId} before it did not succeed`;
    const cause: Cause = { code: 'earlier_step_failed', message };
    for (const one of behind) finishUnstarted(this.#deps, one, { status: 'rejected', cause });
  }
}
