import type { Cause } from '@holdfast/specs/public';
import type { SharedTimer } from './shared-timer.ts';

type Running = { interrupt(cause: Cause): void; kill(): Promise<void> };

/** Stops a running step, job or process before it ends, by itself once it has run for `timeoutMs`, if that is set. The first cause wins. */
export class StepStop {
  #running: Running;
  #graceMs: number;
  #cause: Cause | null = null;
  #timer: SharedTimer;
  #onLimit = () => this.interrupt({ code: 'timeout' });
  #grace: NodeJS.Timeout | undefined;

  constructor(
    running: Running,
    { timeoutMs, graceMs, timer }: { timeoutMs: number | undefined; graceMs: number; timer: SharedTimer },
  ) {
    this.#running = running;
    this.#graceMs = graceMs;
    this.#timer = timer;
    if (timeoutMs !== undefined) timer.set(this.#onLimit, timeoutMs);
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
    this.#timer.clear(this.#onLimit);
    clearTimeout(this.#grace);
  }
}
