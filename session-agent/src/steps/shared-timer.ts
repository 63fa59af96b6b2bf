const timerMsMax = 2 ** 31 - 1;

/**
 * Timeouts that are almost always cleared before their time, behind one timer of Node's. To set or clear one does not move that timer: it
 * fires for nothing now and then, and waits for the next one that is due. Keeps no process running.
 */
export class SharedTimer {
  readonly #dueAtMs = new Map<() => void, number>();
  #timer: NodeJS.Timeout | undefined;
  #firesAtMs = Number.POSITIVE_INFINITY;

  /** Calls `act` after this time. If it waits already, the new time counts. */
  set(act: () => void, ms: number): void {
    const dueAtMs = performance.now() + ms;
    this.#dueAtMs.set(act, dueAtMs);
    this.#arm(dueAtMs);
  }

  clear(act: () => void): void {
    this.#dueAtMs.delete(act);
  }

  #arm(dueAtMs: number): void {
    if (dueAtMs >= this.#firesAtMs) return;
    clearTimeout(this.#timer);
    this.#firesAtMs = dueAtMs;
    // It may be past already, if an act before it took long. Node warns of less than nothing.
    const waitMs = Math.min(Math.max(0, Math.ceil(dueAtMs - performance.now())), timerMsMax);
    this.#timer = setTimeout(() => this.#fire(), waitMs).unref();
  }

  #fire(): void {
    this.#firesAtMs = Number.POSITIVE_INFINITY;
    const nowMs = performance.now();
    for (const [act, dueAtMs] of this.#dueAtMs) {
      if (dueAtMs > nowMs) this.#arm(dueAtMs);
      else {
        this.#dueAtMs.delete(act);
        act();
      }
    }
  }
}
