import { setTimeout as delay } from 'node:timers/promises';
import { databaseUnavailable } from '../registry/database-error.ts';
import { ping } from '../registry/ping.ts';
import type { Queries } from '../registry/queries.ts';

const pauseMs = 500;

/** Waits for a database that is still starting. Throws its own error where it cannot be reached after `forMs`, and any other one at once. */
export async function untilReachable(db: Queries, { forMs }: { forMs: number }): Promise<void> {
  const deadline = Date.now() + forMs;
  for (;;) {
    try {
      return await ping(db);
    } catch (error) {
      if (!databaseUnavailable(error) || Date.now() > deadline) throw error;
      await delay(pauseMs);
    }
  }
}
