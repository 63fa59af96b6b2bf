import { isJobId } from '@holdfast/specs/public';
import type { ArtifactContent } from '../artifacts/artifact-view.ts';
import { collectChanges } from '../artifacts/store-artifacts.ts';
import type { DriveDependencies } from '../steps/drive-step.ts';
import { type CollectJobDependencies, collectJobChanges } from './collect-job-changes.ts';

type Ended = Parameters<DriveDependencies['keep']>[0];

/** What a step changed, and of a job what else belongs to it; null, at no cost, where that is nothing. Never throws. */
export function collectStepChanges(
  deps: CollectJobDependencies,
  ended: Ended,
): Promise<readonly ArtifactContent[]> | null {
  const { live, route, intake, at, isAdopted } = ended;
  if (isJobId(live.id)) return collectJobChanges(deps, ended);
  if (intake.changes.length === 0) return null;
  return collectChanges(deps, { route, stepId: live.id, changes: intake.changes, at, isAdopted });
}
