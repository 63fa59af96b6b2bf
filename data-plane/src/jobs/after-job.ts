import { type EndDependencies, endWithoutWaiting } from '../sessions/end-and-fence.ts';
import type { EndedRow } from '../steps/drive-step.ts';

/** Called when the end of a job is recorded. Ends the session if it was created for this job. */
export async function afterJob(deps: EndDependencies, job: EndedRow): Promise<void> {
  const { sessionId: id, epoch } = job;
  await endWithoutWaiting(deps, { id, epoch, ifPassed: 'jobEnded', to: 'completed', reason: 'job_ended' });
}
