import { awakeTimeout } from '../../timing/awake-timeout.ts';

export type StepWatchdog = {
  /** The code has started: from now on only its own time counts. */
  started(): void;
  stop(): void;
};

const probeEveryMs = 10_000;

/**
 * Calls `onOverrun` if a step exceeds its time. A running step has `limitMs`. Before it runs, it may wait in its context's queue for as
 * long as its agent answers probes, and for `limitMs` after the last answer. Time that this process slept through proves nothing.
 *
 * @param probe rejects if the agent does not answer
 */
export function watchStep({
  limitMs,
  probe,
  onOverrun,
}: {
  limitMs: number;
  probe: () => Promise<unknown>;
  onOverrun: () => void;
}): StepWatchdog {
  let aliveAtMs = performance.now();
  let stopped = false;
  let clear = awakeTimeout(check, Math.min(probeEveryMs, limitMs));

  function check(): void {
    const askedAtMs = performance.now();
    probe().then(
      () => {
        aliveAtMs = performance.now();
        again();
      },
      () => {
        const nowMs = performance.now();
        // A probe takes less than that, unless this process slept and so did not hear the answer.
        const sleptThrough = nowMs - askedAtMs > probeEveryMs;
        if (sleptThrough || nowMs - aliveAtMs < limitMs) again();
        else overrun();
      },
    );
  }

  function again(): void {
    if (!stopped) clear = awakeTimeout(check, Math.min(probeEveryMs, limitMs));
  }

  function overrun(): void {
    if (!stopped) onOverrun();
  }

  function stop(): void {
    stopped = true;
    clear();
  }

  return {
    started() {
      stop();
      stopped = false;
      clear = awakeTimeout(overrun, limitMs);
    },
    stop,
  };
}
