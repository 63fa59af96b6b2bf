import type { Logger } from '../observability/logger.ts';
import type { Database } from '../registry/connect.ts';
import type { StepRecord } from '../registry/steps/record-steps.ts';
import { type EndDependencies, endWithoutWaiting } from '../sessions/end-and-fence.ts';
import { removeOwnProgram } from './remove-own-program.ts';

type AfterJobDependencies = EndDependencies & { db: Database; log: Logger };

/** What follows the recorded end of a job: the session that was made for it ends, too. */
export async function afterJob(deps: AfterJobDependencies, job: StepRecord): Promise<void> {
  // Of a lost one nothing was kept, and so nothing removed.
  if (job.status === 'lost') {
    const route = await deps.routes.find(job.sessionId);
    await removeOwnProgram(deps, { route: route?.status === 'active' ? route : null, start: job });
  }
  const { sessionId: id, epoch } = job;
  await endWithoutWaiting(deps, { id, epoch, ifPassed: 'jobEnded', to: 'completed', reason: 'job_ended' });
}
