import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../registry/connect.ts';
import { databaseUnavailable } from '../registry/database-error.ts';
import { ping } from '../registry/ping.ts';

const pauseMs = 500;

/** Waits for a database that is still starting. Throws its own error where it cannot be reached after `forMs`, and any other one at once. */
export async function untilReachable(db: Pick<Database, 'sql'>, { forMs }: { forMs: number }): Promise<void> {
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
