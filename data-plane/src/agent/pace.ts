export type Pace = {
  /**
   * Does work on bytes of this peer: at once, or in a later turn of the event loop if this turn has had its share. The promise resolves
   * when the work is done; until then no more should be read.
   */
  run(peer: string, work: () => undefined | Promise<unknown>): undefined | Promise<unknown>;
};

/** A clock around the work does not see the cost of the call itself, of which chunks of one byte need very many. */
const callMs = 0.003;

/**
 * Leaves the event loop time for others, however fast and in however many pieces agents send. All work on their bytes together has
 * `turnMs` of a turn; then peers take turns, so that one with a thousand connections delays another by no more than one piece.
 */
export function createPace({ turnMs = 8, now = () => performance.now() } = {}): Pace {
  const waiting = new Map<string, (() => void)[]>();
  let usedMs = 0;
  let armed = false;

  function timed<T>(work: () => T): T {
    const startedAt = now();
    try {
      return work();
    } finally {
      usedMs += now() - startedAt + callMs;
      if (usedMs >= turnMs) arm();
    }
  }

  function arm(): void {
    if (armed) return;
    armed = true;
    setImmediate(nextTurn);
  }

  function nextTurn(): void {
    armed = false;
    usedMs = 0;
    while (waiting.size > 0 && usedMs < turnMs) {
      for (const [peer, works] of [...waiting]) {
        if (usedMs >= turnMs) break;
        // The peer goes to the end of the line.
        waiting.delete(peer);
        works.shift()?.();
        if (works.length > 0) waiting.set(peer, works);
      }
    }
    if (waiting.size > 0) arm();
  }

  return {
    run(peer, work) {
      if (usedMs < turnMs && waiting.size === 0) return timed(work);
      return new Promise((resolve, reject) => {
        const later = () => {
          try {
            resolve(timed(work));
          } catch (error) {
            reject(error);
          }
        };
        const works = waiting.get(peer);
        if (works) works.push(later);
        else waiting.set(peer, [later]);
        arm();
      });
    },
  };
}
