import type { Logger } from '../observability/logger.ts';
import type { Database } from '../registry/connect.ts';
import { type EndDependencies, endWithoutWaiting } from '../sessions/end-and-fence.ts';
import { hasSandbox } from '../sessions/status.ts';
import type { EndedRow } from '../steps/drive-step.ts';
import type { Worlds } from '../world/create-worlds.ts';
import { removeOwnProgram } from './remove-own-program.ts';

type AfterJobDependencies = EndDependencies & { db: Database; log: Logger; worlds: Pick<Worlds, 'write'> };

/** Called when the end of a job is recorded. Ends the session if it was created for this job. */
export async function afterJob(deps: AfterJobDependencies, job: EndedRow): Promise<void> {
  // The changes of a lost job were not collected, so its program was not removed either.
  if (job.status === 'lost') {
    const route = await deps.routes.find(job.sessionId);
    await removeOwnProgram(deps, { route: hasSandbox(route?.status) ? route : null, start: job });
  }
  const { sessionId: id, epoch } = job;
  await endWithoutWaiting(deps, { id, epoch, ifPassed: 'jobEnded', to: 'completed', reason: 'job_ended' });
}
