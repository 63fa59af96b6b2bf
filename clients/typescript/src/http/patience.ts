import { pause } from './pause.ts';

const firstPauseMs = 250;
const pauseMsMax = 5000;
/** A timer of more than 24 days would be over at once. */
const retryAfterSecondsMax = 3600;

/** How long a client tries again. */
export type PatienceLimits = {
  /** After a failure of a server that this client has reached before. */
  reconnectMs: number;
  /** After a failure of a server that has never answered: an address that is wrong is told soon. */
  connectMs: number;
};

/** The time that is left for repeats of one request, or of one stream since its last event. */
export type Patience = {
  /** Waits before the next try, and answers whether there is to be one. `retryAfterSeconds` is the wish of the server. */
  again(retryAfterSeconds?: number): Promise<boolean>;
  /** Something arrived: all the time is left again. */
  renew(): void;
};

/** Waits twice as long each time, at most five seconds, of which a random half is left out, so that clients do not come all at once. */
export function createPatience(limitMs: () => number, signal?: AbortSignal | null): Patience {
  let tries = 0;
  let firstMs: number | null = null;
  return {
    async again(retryAfterSeconds) {
      const longestMs = Math.min(pauseMsMax, firstPauseMs * 2 ** tries++);
      const ownMs = longestMs * (0.5 + Math.random() / 2);
      const waitMs = Math.max(ownMs, Math.min(retryAfterSeconds ?? 0, retryAfterSecondsMax) * 1000);
      firstMs ??= Date.now();
      if (Date.now() + waitMs - firstMs > limitMs()) return false;
      await pause(waitMs, signal);
      return true;
    },
    renew() {
      tries = 0;
      firstMs = null;
    },
  };
}
