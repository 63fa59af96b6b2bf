import type { AgentClient } from '../agent/agent-client.ts';
import type { ArtifactContent } from '../artifacts/artifact-view.ts';
import { type CollectChangesDependencies, collectChanges } from '../artifacts/store-artifacts.ts';
import { findRecordedArtifacts } from '../artifacts/find-recorded-artifacts.ts';
import type { DriveDependencies } from '../steps/drive-step.ts';
import { removeOwnProgram } from './remove-own-program.ts';
import { storeJobOutput } from './store-job-output.ts';

export type CollectJobDependencies = CollectChangesDependencies & {
  agents: Pick<AgentClient, 'readFile' | 'call' | 'download'>;
};

type Kept = Parameters<DriveDependencies['keep']>[0];

/**
 * Keeps what a job did to the workspace and what it wrote to stdout and stderr, and says it as the job's events do, after what it was
 * given. Never throws: what cannot be kept is an omission.
 */
export async function collectJobChanges(
  deps: CollectJobDependencies,
  { live, route, intake, at, isAdopted }: Kept,
): Promise<readonly ArtifactContent[]> {
  const changes = await collectChanges(deps, { route, stepId: live.id, changes: intake.changes, at, isAdopted });
  const output = await storeJobOutput(deps, { route, live, at });
  await removeOwnProgram(deps, { route, start: live.start });
  return [...(await inputsOf(deps, live)), ...changes, ...output];
}

async function inputsOf(
  { db, log }: Pick<CollectJobDependencies, 'db' | 'log'>,
  { id: stepId, sessionId }: { id: string; sessionId: string },
): Promise<ArtifactContent[]> {
  try {
    return await findRecordedArtifacts(db, { sessionId, stepId, role: 'input' });
  } catch (err) {
    log.error({ sessionId, stepId, err }, 'what a job was given could not be listed');
    return [];
  }
}
