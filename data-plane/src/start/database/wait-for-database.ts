import { setTimeout as delay } from 'node:timers/promises';
import { databaseRefusesUs, databaseUnavailable, databaseUntrusted } from '../../registry/database-error.ts';
import { ping } from '../../registry/ping.ts';
import type { Queries } from '../../registry/queries.ts';

const waitMs = 60_000;
const pauseMs = 500;

/** Waits for a database that is still starting. A refusal on either side, which an operator has to repair, is thrown at once. */
export async function waitForDatabase(db: Queries): Promise<void> {
  const deadline = Date.now() + waitMs;
  for (;;) {
    try {
      return await ping(db);
    } catch (error) {
      const isFinal = databaseRefusesUs(error) || databaseUntrusted(error) || !databaseUnavailable(error);
      if (isFinal || Date.now() > deadline) throw error;
      await delay(pauseMs);
    }
  }
}
