import { setTimeout as delay } from 'node:timers/promises';
import { AgentError } from '../agent/agent-error.ts';
import { databaseUnavailable } from '../registry/database-error.ts';

const retryMs = 200;

/** Does `work` again where the database is away, for up to `ms`: what was kept already shall not be lost for a moment without it. */
export async function retryThroughOutage<T>(work: () => Promise<T>, { ms }: { ms: number }): Promise<T> {
  const deadlineMs = performance.now() + ms;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      // A connection to an agent may end as one to the database does.
      const isAway = !(error instanceof AgentError) && databaseUnavailable(error);
      if (!isAway || performance.now() + retryMs > deadlineMs) throw error;
      await delay(retryMs);
    }
  }
}
