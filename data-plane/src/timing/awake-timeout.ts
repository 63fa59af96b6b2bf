/** A timer that fires later than this was slept through. A busy event loop is late by less. */
const lateMsMax = 1000;

/** How long a process that has woken up gets to read what came while it slept. */
const readMs = 5000;

/**
 * As `setTimeout`, for a conclusion from silence. A process that was stopped past the time has heard nothing, and its timers run before
 * anything that it was sent is read: so `act` waits until it has had time to read that.
 *
 * @returns a function that clears the timer
 */
export function awakeTimeout(act: () => void, ms: number): () => void {
  let timer: NodeJS.Timeout;
  function arm(waitMs: number): void {
    const dueAtMs = performance.now() + waitMs;
    timer = setTimeout(() => (performance.now() - dueAtMs > lateMsMax ? arm(Math.min(ms, readMs)) : act()), waitMs);
  }
  arm(ms);
  return () => clearTimeout(timer);
}
