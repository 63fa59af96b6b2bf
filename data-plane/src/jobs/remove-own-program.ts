import type { AgentClient } from '../agent/agent-client.ts';
import { AgentError } from '../agent/agent-error.ts';
import type { Logger } from '../observability/logger.ts';
import type { Database } from '../registry/connect.ts';
import { removeWorldFiles } from '../registry/world-files/remove-world-files.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import type { StepStart } from '../steps/live-step.ts';
import type { Worlds, WorldWrite } from '../world/create-worlds.ts';
import { retryThroughOutage } from '../world/retry-through-outage.ts';
import { hasOwnFilename } from './job-step.ts';

type RemoveProgramDependencies = {
  agents: Pick<AgentClient, 'call'>;
  db: Database;
  worlds: Pick<Worlds, 'write'>;
  log: Pick<Logger, 'error'>;
};

/** Removes a job's program from workspace and world if the client did not name it. Never throws; may be repeated. */
export async function removeOwnProgram(
  { agents, db, worlds, log }: RemoveProgramDependencies,
  { route, start: { id, sessionId, job } }: { route: Route | null; start: Pick<StepStart, 'id' | 'sessionId' | 'job'> },
): Promise<void> {
  if (!job || !hasOwnFilename(id, job.filename)) return;
  const logFailure = (err: unknown) =>
    log.error({ sessionId, stepId: id, err }, 'could not remove the program of a job');
  const remove = async ({ claim }: WorldWrite) => {
    const removal = { claim, path: job.filename };
    const isGone = !route || (await isRemoved(agents, { route, path: job.filename }).catch(logFailure));
    if (!isGone) removal.claim = { ...claim, isUnsettled: true };
    return (await retryThroughOutage(() => removeWorldFiles(db, removal), { isPatient: true })) !== null;
  };
  try {
    // If the claim was lost, the replica that took it over may have compared the world while the program was still in the workspace.
    for (let isRecorded = false; !isRecorded; ) {
      isRecorded = await worlds.write({ sessionId, route, isPatient: true }, remove);
    }
  } catch (err) {
    logFailure(err);
  }
}

async function isRemoved(
  agents: Pick<AgentClient, 'call'>,
  { route, path }: { route: Route; path: string },
): Promise<true> {
  try {
    await agents.call(route, { method: 'DELETE', path: `/v1/files?path=${encodeURIComponent(path)}` });
  } catch (error) {
    // A program may have removed its own file.
    if (!(error instanceof AgentError && error.slug === 'not-found')) throw error;
  }
  return true;
}
