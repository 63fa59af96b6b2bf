import type { Cause } from '@holdfast/specs';
import type { Kernel } from '../kernel/kernel.ts';

/** Ends a running step before its code does. The first cause wins. */
export type Stop = {
  readonly cause: Cause | null;
  /** Interrupts in the language's own way; where the step still runs after the grace, kills the kernel. */
  interrupt(cause: Cause): void;
  /** Notes why the kernel is being killed by somebody else. */
  killed(cause: Cause): void;
  /** Call when the step has ended. */
  clear(): void;
};

const timerMsMax = 2 ** 31 - 1;

/** Also ends the step once it has run for `timeoutMs`. */
export function createStop(
  kernel: Pick<Kernel, 'interrupt' | 'kill'>,
  options: { timeoutMs: number; graceMs: number },
): Stop {
  let cause: Cause | null = null;
  let grace: NodeJS.Timeout | undefined;

  const interrupt = (by: Cause) => {
    if (cause) return;
    cause = by;
    kernel.interrupt();
    grace = setTimeout(() => void kernel.kill(), options.graceMs);
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
