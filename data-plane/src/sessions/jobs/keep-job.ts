import type { AgentClient } from '../../agent/agent-client.ts';
import type { ArtifactContent } from '../artifacts/artifact-view.ts';
import { type KeepChangesDependencies, keepChanges } from '../artifacts/keep-changes.ts';
import { recordedArtifacts } from '../artifacts/recorded-artifacts.ts';
import type { DriveDependencies } from '../steps/drive-step.ts';
import { keepJobOutput } from './keep-job-output.ts';
import { removeOwnProgram } from './remove-own-program.ts';

export type KeepJobDependencies = KeepChangesDependencies & {
  agents: Pick<AgentClient, 'readFile' | 'call' | 'download'>;
};

type Kept = Parameters<DriveDependencies['keep']>[0];

/**
 * Keeps what a job did to the workspace and what it wrote to stdout and stderr, and says it as the job's events do, after what it was
 * given. Never throws: what cannot be kept is an omission.
 */
export async function keepJob(
  deps: KeepJobDependencies,
  { live, route, intake, at, isAdopted }: Kept,
): Promise<readonly ArtifactContent[]> {
  const changes = await keepChanges(deps, { route, stepId: live.id, changes: intake.changes, at, isAdopted });
  const output = await keepJobOutput(deps, { route, live, at });
  await removeOwnProgram(deps, { route, start: live.start });
  return [...(await inputsOf(deps, live)), ...changes, ...output];
}

async function inputsOf(
  { db, log }: Pick<KeepJobDependencies, 'db' | 'log'>,
  { id: stepId, sessionId }: { id: string; sessionId: string },
): Promise<ArtifactContent[]> {
  try {
    return await recordedArtifacts(db, { sessionId, stepId, role: 'input' });
  } catch (err) {
    log.error({ sessionId, stepId, err }, 'what a job was given could not be listed');
    return [];
  }
}
