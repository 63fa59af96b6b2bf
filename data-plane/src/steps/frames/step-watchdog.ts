export type StepWatchdog = {
  /** The code runs: from now on its own time counts. */
  started(): void;
  stop(): void;
};

const probeEveryMs = 10_000;

/**
 * Holds a step to its time. Once it runs it has `limitMs`; before that it may wait in its context's queue for as long as its agent
 * gives signs of life, and for `limitMs` beyond the last one.
 *
 * @param probe rejects where the agent gives no sign of life
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
  let timer = setTimeout(look, Math.min(probeEveryMs, limitMs));

  function look(): void {
    probe().then(
      () => {
        aliveAtMs = performance.now();
        again();
      },
      () => (performance.now() - aliveAtMs < limitMs ? again() : overrun()),
    );
  }

  function again(): void {
    if (!stopped) timer = setTimeout(look, Math.min(probeEveryMs, limitMs));
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
