export type Pace = {
  /** Whether work on bytes of this peer may be done now. If not, it belongs to `later`. */
  may(peer: string): boolean;
  /** Does work when it is the peer's turn: never at once. The work says by `spend` how long it took. */
  later(peer: string, work: () => void): void;
  /** Counts the time of work that was done for a peer. */
  spend(peer: string, ms: number): void;
};

export type PaceOptions = {
  /** All work on bytes from agents together takes about this long in a turn of the event loop, and that of greedy peers `greedyTurnMs`. */
  turnMs?: number;
  greedyTurnMs?: number;
  /** The part of the time that greedy peers together may take. */
  share?: number;
  /** A peer that has used so much more than its part of the share is greedy. */
  burstMs?: number;
  now?: () => number;
};

/**
 * Leaves the event loop time for others, however fast and in however many pieces agents send. A peer that asks for little is served at
 * once. One that floods comes after it: greedy peers take turns within a small share of the time, and TCP slows them down. Each peer owes
 * the time that was spent on it, and all that wait are forgiven alike as time goes by, so a peer that stops to flood is soon served at once.
 */
export function createPace({
  turnMs = 4,
  greedyTurnMs = 2,
  share = 0.25,
  burstMs = 50,
  now = () => performance.now(),
}: PaceOptions = {}): Pace {
  const waiting = new Map<string, (() => void)[]>();
  const debts = new Map<string, { ms: number; at: number }>();
  /** The time that a peer which waits has been forgiven since the start. */
  let forgivenMs = 0;
  /** The time that greedy peers together have used beyond their share. */
  let overMs = 0;
  let seenAt = now();
  let usedMs = 0;
  let served: string | null = null;
  let planned: (() => void) | null = null;
  let isSoon = false;

  function passTime(): void {
    const at = now();
    const freeMs = (at - seenAt) * share;
    seenAt = at;
    forgivenMs += freeMs / Math.max(1, waiting.size);
    overMs = Math.max(0, overMs - freeMs);
  }

  function debtOf(peer: string): number {
    const debt = debts.get(peer);
    return debt ? Math.max(0, debt.ms - (forgivenMs - debt.at)) : 0;
  }

  const isGreedy = (peer: string): boolean => debtOf(peer) > burstMs;
  const greedyWaitMs = (): number => (overMs >= greedyTurnMs ? overMs / share : 0);

  function forget(): void {
    for (const peer of debts.keys()) if (debtOf(peer) === 0) debts.delete(peer);
  }

  /** Plans the next turn. One that was planned for later comes sooner. */
  function plan(waitMs = 0): void {
    if (isSoon || (planned && waitMs > 0)) return;
    planned?.();
    isSoon = waitMs === 0;
    if (isSoon) {
      planned = null;
      setImmediate(nextTurn);
    } else {
      const timer = setTimeout(nextTurn, waitMs);
      planned = () => clearTimeout(timer);
    }
  }

  function nextTurn(): void {
    planned = null;
    isSoon = false;
    usedMs = 0;
    passTime();
    const peers = [...waiting.keys()];
    const greedy = new Set(peers.filter(isGreedy));
    serveAll(
      peers.filter((peer) => !greedy.has(peer)),
      () => usedMs < turnMs,
    );
    serveAll([...greedy], () => usedMs < turnMs && overMs < greedyTurnMs);
    if (waiting.size === 0) forget();
    else plan([...waiting.keys()].every(isGreedy) ? greedyWaitMs() : 0);
  }

  /** Does what waits now, one piece for each peer after the other. Work that is added meanwhile is for a later turn. */
  function serveAll(peers: string[], goOn: () => boolean): void {
    let left = peers.map((peer) => ({ peer, works: waiting.get(peer)?.length ?? 0 }));
    while (left.length > 0 && goOn()) {
      for (const one of left) {
        if (!goOn()) return;
        one.works -= 1;
        serve(one.peer);
      }
      left = left.filter(({ works }) => works > 0);
    }
  }

  /** Does one piece of the peer's work. Then the peer goes to the end of the line. */
  function serve(peer: string): void {
    const works = waiting.get(peer) ?? [];
    waiting.delete(peer);
    const work = works.shift();
    if (works.length > 0) waiting.set(peer, works);
    served = peer;
    try {
      work?.();
    } finally {
      served = null;
    }
  }

  return {
    may: (peer) => usedMs < turnMs && (!isGreedy(peer) || (peer === served && overMs < greedyTurnMs)),
    later(peer, work) {
      passTime();
      const works = waiting.get(peer);
      if (works) works.push(work);
      else waiting.set(peer, [work]);
      plan(isGreedy(peer) ? greedyWaitMs() : 0);
    },
    spend(peer, ms) {
      passTime();
      usedMs += ms;
      debts.set(peer, { ms: Math.min(debtOf(peer) + ms, 2 * burstMs), at: forgivenMs });
      if (isGreedy(peer)) overMs += ms;
      if (usedMs >= turnMs) plan();
    },
  };
}
