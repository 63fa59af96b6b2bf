import type { AgentClient } from '../agent/agent-client.ts';
import type { ArtifactContent } from '../artifacts/artifact-view.ts';
import { findRecordedArtifacts } from '../artifacts/find-recorded-artifacts.ts';
import { type StepChanges, type StoreArtifactsDependencies, storeArtifacts } from '../artifacts/store-artifacts.ts';
import type { EndedStep } from '../steps/drive-step.ts';
import { retryThroughOutage } from '../world/retry-through-outage.ts';
import { storeJobOutput } from './store-job-output.ts';

type CollectDependencies = StoreArtifactsDependencies & {
  agents: Pick<AgentClient, 'readFile' | 'call' | 'download'>;
};

/** Stores what a step or a job did to files, and returns it. Null, at no cost, if it did nothing. Never throws. */
export function collectStepChanges(deps: CollectDependencies, ended: EndedStep): Promise<StepChanges> | null {
  if (ended.live.start.job) return collectJobChanges(deps, ended);
  const { changes, directories } = ended.intake;
  return changes.length === 0 && directories.length === 0 ? null : collectChanges(deps, ended);
}

const collectChanges = (deps: CollectDependencies, { live, route, intake, at, isHandedOver }: EndedStep) =>
  storeArtifacts(deps, {
    route,
    stepId: live.id,
    by: { actor: live.start.actor, keyId: live.start.keyId },
    changes: intake.changes,
    directories: intake.directories,
    at,
    isHandedOver,
  });

/** The artifacts of a job in the order of its events: its inputs, its changes in the workspace, and its stdout and stderr. */
async function collectJobChanges(deps: CollectDependencies, ended: EndedStep): Promise<StepChanges> {
  const { live, route, at } = ended;
  const { artifacts, ...others } = await collectChanges(deps, ended);
  const output = await storeJobOutput(deps, { route, live, at });
  return { artifacts: [...(await inputsOf(deps, live)), ...artifacts, ...output], ...others };
}

async function inputsOf(
  { db, log }: Pick<CollectDependencies, 'db' | 'log'>,
  { id: stepId, sessionId }: { id: string; sessionId: string },
): Promise<ArtifactContent[]> {
  try {
    const find = () => findRecordedArtifacts(db, { sessionId, stepId, role: 'input' });
    return await retryThroughOutage(find, { isPatient: true });
  } catch (err) {
    log.error({ sessionId, stepId, err }, 'could not list the inputs of a job');
    return [];
  }
}
