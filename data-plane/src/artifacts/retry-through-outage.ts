import { setTimeout as delay } from 'node:timers/promises';
import { AgentError } from '../agent/agent-error.ts';
import { databaseUnavailable } from '../registry/database-error.ts';

const retryMs = 200;

/** Repeats `work` for up to `ms` while the database is unavailable, so that a short outage does not lose contents that are stored already. */
export async function retryThroughOutage<T>(work: () => Promise<T>, { ms }: { ms: number }): Promise<T> {
  const deadlineMs = performance.now() + ms;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      // A broken connection to an agent has the same error codes as one to the database.
      const isAway = !(error instanceof AgentError) && databaseUnavailable(error);
      if (!isAway || performance.now() + retryMs > deadlineMs) throw error;
      await delay(retryMs);
    }
  }
}
