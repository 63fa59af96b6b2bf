import type { Cause } from '@holdfast/specs/public';

/** Ends a running step before its code does. The first cause wins. */
export type StepStop = {
  readonly cause: Cause | null;
  /** Interrupts in the way that fits; where the step still runs after the grace, kills what runs it. */
  interrupt(cause: Cause): void;
  /** Notes why what runs it is being killed by somebody else. */
  killed(cause: Cause): void;
  /** Call when the step has ended. */
  clear(): void;
};

const timerMsMax = 2 ** 31 - 1;

/** Also ends the step once it has run for `timeoutMs`. */
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
