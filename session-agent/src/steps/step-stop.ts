import type { Cause } from '@holdfast/specs/public';

const timerMsMax = 2 ** 31 - 1;

type Running = { interrupt(cause: Cause): void; kill(): Promise<void> };

/** Stops a running step or job before its code ends, by itself once it has run for `timeoutMs`. The first cause wins. */
export class StepStop {
  #running: Running;
  #graceMs: number;
  #cause: Cause | null = null;
  #timeout: NodeJS.Timeout;
  #grace: NodeJS.Timeout | undefined;

  constructor(running: Running, { timeoutMs, graceMs }: { timeoutMs: number; graceMs: number }) {
    this.#running = running;
    this.#graceMs = graceMs;
    this.#timeout = setTimeout(timedOut, Math.min(timeoutMs, timerMsMax), this);
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
    clearTimeout(this.#timeout);
    clearTimeout(this.#grace);
  }
}

const timedOut = (stop: StepStop) => stop.interrupt({ code: 'timeout' });
