const tickMs = 500;

/** A tick that comes later than this was slept through. A busy event loop is late by less. */
const lateMsMax = 1000;

export type AwakeClock = {
  /** Since when this process has run without a stop, by `performance.now()`. It is now if the process has just woken up. */
  awakeSinceMs(): number;
};

/** Knows how long this process has been awake: it counts ticks, which come late if the process was stopped or its event loop was blocked. */
export function startAwakeClock(signal: AbortSignal): AwakeClock {
  let sinceMs = performance.now();
  let tickedAtMs = sinceMs;

  /** A caller may run before the late tick does. */
  function look(): void {
    const nowMs = performance.now();
    if (nowMs - tickedAtMs > tickMs + lateMsMax) sinceMs = nowMs;
  }

  const timer = setInterval(() => {
    look();
    tickedAtMs = performance.now();
  }, tickMs);
  timer.unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  return {
    awakeSinceMs() {
      look();
      return sinceMs;
    },
  };
}
