import type { Cause } from '@holdfast/specs/public';

const timerMsMax = 2 ** 31 - 1;

type Running = { interrupt(cause: Cause): void; kill(): Promise<void> };

/** The time limit of the steps that run one after the other. They share a timer, which is moved and not made anew for each of them. */
export class StepTimer {
  #timer: NodeJS.Timeout | null = null;
  #ms = 0;
  #onEnd: (() => void) | null = null;

  start(timeoutMs: number, onEnd: () => void): void {
    this.#onEnd = onEnd;
    const ms = Math.min(timeoutMs, timerMsMax);
    if (this.#timer && ms === this.#ms) {
      this.#timer.refresh();
      return;
    }
    if (this.#timer) clearTimeout(this.#timer);
    this.#ms = ms;
    this.#timer = setTimeout(() => this.#onEnd?.(), ms);
  }

  stop(): void {
    this.#onEnd = null;
  }
}

/** Stops a running step, job or process before it ends, by itself once it has run for `timeoutMs`, if that is set. The first cause wins. */
export class StepStop {
  #running: Running;
  #graceMs: number;
  #cause: Cause | null = null;
  #timer: StepTimer;
  #grace: NodeJS.Timeout | undefined;

  constructor(
    running: Running,
    { timeoutMs, graceMs, timer }: { timeoutMs: number | undefined; graceMs: number; timer: StepTimer },
  ) {
    this.#running = running;
    this.#graceMs = graceMs;
    this.#timer = timer;
    if (timeoutMs !== undefined) timer.start(timeoutMs, () => this.interrupt({ code: 'timeout' }));
  }

  get cause(): Cause | null {
    return this.#cause;
  }

  /** Interrupts the step; if it still runs after the grace period, kills its process. */
  interrupt(cause: Cause): void {
    if (this.#cause) return;
    this.#cause = cause;
    this.#running.interrupt(cause);
    this.#grace = setTimeout(() => void this.#running.kill(), this.#graceMs);
  }

  /** Notes the cause if the process is being killed from elsewhere. */
  killed(cause: Cause): void {
    this.#cause ??= cause;
  }

  /** Call when the step has ended. */
  clear(): void {
    this.#timer.stop();
    clearTimeout(this.#grace);
  }
}
