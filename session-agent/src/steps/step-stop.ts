import type { Cause } from '@holdfast/specs/public';

/** Stops a running step or job before its code ends. The first cause wins. */
export type StepStop = {
  readonly cause: Cause | null;
  /** Interrupts the step; if it still runs after the grace period, kills its process. */
  interrupt(cause: Cause): void;
  /** Notes the cause if the process is being killed from elsewhere. */
  killed(cause: Cause): void;
  /** Call when the step has ended. */
  clear(): void;
};

const timerMsMax = 2 ** 31 - 1;

/** Interrupts the step by itself once it has run for `timeoutMs`. */
export function createStepStop(
  running: { interrupt(cause: Cause): void; kill(): Promise<void> },
  options: { timeoutMs: number; graceMs: number },
): StepStop {
  let cause: Cause | null = null;
  let grace: NodeJS.Timeout | undefined;

  const interrupt = (by: Cause) => {
    if (cause) return;
    cause = by;
    running.interrupt(by);
    grace = setTimeout(() => void running.kill(), options.graceMs);
  };
  const timeout = setTimeout(interrupt, Math.min(options.timeoutMs, timerMsMax), { code: 'timeout' });

  return {
    get cause() {
      return cause;
    },
    interrupt,
    killed(by) {
      cause ??= by;
    },
    clear() {
      clearTimeout(timeout);
      clearTimeout(grace);
    },
  };
}
