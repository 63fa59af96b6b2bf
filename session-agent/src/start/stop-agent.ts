import { once } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContextSet } from '../contexts/context-set.ts';
import type { JobSet } from '../jobs/job-set.ts';

const stopMsMax = 1800;

/** Kills all kernels and jobs, lets pending answers send the ends of their steps, and ends the process. */
export async function stopAgent(deps: {
  server: Server;
  contexts: Pick<ContextSet, 'close'>;
  jobs: Pick<JobSet, 'end'>;
}): Promise<void> {
  const closed = once(deps.server, 'close');
  deps.server.close();
  const ended = Promise.all([deps.contexts.close(), deps.jobs.end({ code: 'session_ended' })]);
  await Promise.race([ended.then(() => lastAnswers(deps.server, closed)), sleep(stopMsMax)]);
  process.exit(0);
}

/** A connection whose answer ends after `close()` was called would stay open, so connections are closed when they become idle. */
async function lastAnswers(server: Server, closed: Promise<unknown>): Promise<void> {
  const closing = setInterval(() => server.closeIdleConnections(), 5);
  await closed;
  clearInterval(closing);
}
