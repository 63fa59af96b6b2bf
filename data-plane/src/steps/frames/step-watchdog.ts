export type StepWatchdog = {
  /** The code has started: from now on only its own time counts. */
  started(): void;
  stop(): void;
};

const probeEveryMs = 10_000;

/**
 * Calls `onOverrun` if a step exceeds its time. A running step has `limitMs`. Before it runs, it may wait in its context's queue for as
 * long as its agent answers probes, and for `limitMs` after the last answer.
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
  let timer = setTimeout(check, Math.min(probeEveryMs, limitMs));

  function check(): void {
    probe().then(
      () => {
        aliveAtMs = performance.now();
        again();
      },
      () => (performance.now() - aliveAtMs < limitMs ? again() : overrun()),
    );
  }

  function again(): void {
    if (!stopped) timer = setTimeout(check, Math.min(probeEveryMs, limitMs));
  }

  function overrun(): void {
    if (!stopped) onOverrun();
  }

  function stop(): void {
    stopped = true;
    clearTimeout(timer);
  }

  return {
    started() {
      stop();
      stopped = false;
      timer = setTimeout(overrun, limitMs);
    },
    stop,
  };
}
