import { Problem } from '@holdfast/specs/public';
import { createFairTurns } from '../timing/fair-turns.ts';
import type { Reader } from './json-slices.ts';

/** Each may hold about 20 MiB until its client has taken it: the content, its base64, and the message with it. */
const limits = { atOnceMax: 16, perKeyMax: 4, waitMsMax: 10_000 };

export type WholeReads = ReturnType<typeof createWholeReads>;

/** Turns to answer with a large content that the protocol has as a whole. A few of one tenant are in memory at the same time. */
export function createWholeReads() {
  const turns = createFairTurns(limits);
  return {
    /**
     * Waits for a turn, which lasts until the signal of the reader aborts.
     * @throws Problem `quota-exceeded` if the tenant's other answers took too long; the reason of the signal
     */
    async begin({ tenant, signal }: Reader): Promise<void> {
      if (await turns.enter(tenant, signal)) return;
      const detail = `at most ${limits.perKeyMax} large contents are read by a tenant at the same time`;
      throw new Problem('quota-exceeded', { detail, retryAfterSeconds: 1 });
    },
  };
}
