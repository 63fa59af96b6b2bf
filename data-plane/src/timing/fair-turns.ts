import { setTimeout as delay } from 'node:timers/promises';

type TurnLimits = {
  /** Turns at the same time: in all, and under one key. */
  atOnceMax: number;
  perKeyMax: number;
  /** How long one may wait for a turn. */
  waitMsMax: number;
};

type Waiting = { signal: AbortSignal; begin(): void };

/** Gives out turns, to one key after the other, so that a key with many in the queue waits for itself alone. */
export function createFairTurns({ atOnceMax, perKeyMax, waitMsMax }: TurnLimits) {
  const running = new Map<string, number>();
  /** The keys in the order of their next turns. */
  const waiting = new Map<string, Set<Waiting>>();
  const entered = new WeakSet<AbortSignal>();
  let atOnce = 0;

  function pass(): void {
    for (const [key, queue] of waiting) {
      if (atOnce >= atOnceMax) return;
      const [first] = queue;
      if (!first || (running.get(key) ?? 0) >= perKeyMax) continue;
      remove(key, first);
      const rest = waiting.get(key);
      // A key that had a turn goes to the end.
      if (rest && waiting.delete(key)) waiting.set(key, rest);
      take(key, first.signal);
      first.begin();
    }
  }

  function take(key: string, signal: AbortSignal): void {
    atOnce++;
    running.set(key, (running.get(key) ?? 0) + 1);
    entered.add(signal);
    const end = () => {
      atOnce--;
      const left = (running.get(key) ?? 1) - 1;
      if (left > 0) running.set(key, left);
      else running.delete(key);
      pass();
    };
    signal.addEventListener('abort', end, { once: true });
  }

  function remove(key: string, one: Waiting): void {
    const queue = waiting.get(key);
    queue?.delete(one);
    if (queue?.size === 0) waiting.delete(key);
  }

  return {
    /**
     * Waits for a turn, which lasts until `signal` aborts. One signal has one turn, however often it asks.
     * @returns false if no turn came in time
     * @throws the reason of `signal`
     */
    async enter(key: string, signal: AbortSignal): Promise<boolean> {
      signal.throwIfAborted();
      if (entered.has(signal)) return true;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const one: Waiting = { signal, begin: () => resolve(true) };
      const queue = waiting.get(key) ?? new Set();
      waiting.set(key, queue.add(one));
      pass();
      const settled = new AbortController();
      const late = delay(waitMsMax, false, { signal: AbortSignal.any([signal, settled.signal]) });
      try {
        return await Promise.race([promise, late]);
      } catch {
        signal.throwIfAborted();
        return false;
      } finally {
        late.catch(() => {});
        settled.abort();
        remove(key, one);
      }
    },
    /** How many wait. */
    waiting: () => [...waiting.values()].reduce((sum, queue) => sum + queue.size, 0),
  };
}
