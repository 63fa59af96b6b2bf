import { isJobId } from '@holdfast/specs';
import { type KeepJobDependencies, keepJob } from '../jobs/keep-job.ts';
import type { DriveDependencies } from '../steps/drive-step.ts';
import type { ArtifactContent } from './artifact-view.ts';
import { keepChanges } from './keep-changes.ts';

type Ended = Parameters<DriveDependencies['keep']>[0];

/** What a step changed, and of a job what else belongs to it; null, at no cost, where that is nothing. Never throws. */
export function keepStep(deps: KeepJobDependencies, ended: Ended): Promise<readonly ArtifactContent[]> | null {
  const { live, route, intake, at, isAdopted } = ended;
  if (isJobId(live.id)) return keepJob(deps, ended);
  if (intake.changes.length === 0) return null;
  return keepChanges(deps, { route, stepId: live.id, changes: intake.changes, at, isAdopted });
}
