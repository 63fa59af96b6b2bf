import type { AgentClient } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import type { Logger } from '../observability/logger.ts';
import type { Database } from '../registry/connect.ts';
import { removeWorldFiles } from '../registry/world-files/remove-world-files.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import type { StepStart } from '../steps/live-step.ts';
import { hasOwnFilename } from './job-step.ts';

type RemoveProgramDependencies = {
  agents: Pick<AgentClient, 'call'>;
  db: Database;
  log: Pick<Logger, 'error'>;
};

/** Removes a job's program from workspace and world if the client did not name it. Never throws; may be repeated. */
export async function removeOwnProgram(
  { agents, db, log }: RemoveProgramDependencies,
  { route, start: { id, sessionId, job } }: { route: Route | null; start: Pick<StepStart, 'id' | 'sessionId' | 'job'> },
): Promise<void> {
  if (!job || !hasOwnFilename(id, job.filename)) return;
  const path = `/v1/files?path=${encodeURIComponent(job.filename)}`;
  const removals = [
    removeWorldFiles(db, { sessionId, path: job.filename }),
    route && agents.call(route, { method: 'DELETE', path }),
  ];
  for (const removal of await Promise.allSettled(removals)) {
    if (removal.status === 'rejected' && !isGone(removal.reason))
      log.error({ sessionId, stepId: id, err: removal.reason }, 'could not remove the program of a job');
  }
}

/** A program may have removed its own file. */
const isGone = (error: unknown) => error instanceof AgentError && error.slug === 'not-found';
