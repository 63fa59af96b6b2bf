import { artifactIdFor, type Change } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import { type NewArtifact, recordArtifacts } from '../registry/artifacts/record-artifacts.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import type { SessionLocks } from '../timing/session-locks.ts';
import { type ArtifactContent, artifactContent } from './artifact-view.ts';
import { confirmDeleted } from './confirm-deleted.ts';
import { findRecordedArtifacts } from './find-recorded-artifacts.ts';
import { listedChanges } from './listed-changes.ts';
import { mimeType } from './mime-type.ts';
import { retryThroughOutage } from './retry-through-outage.ts';
import { type StoredFile, type StoreFilesDependencies, storeChangedFiles } from './store-changed-files.ts';

export type CollectChangesDependencies = StoreFilesDependencies & {
  agents: Pick<AgentClient, 'readFile' | 'call'>;
  /** The world is as the last step left it, not as the last file came in. */
  sessionLocks: SessionLocks;
};

type CollectChangesInput = {
  route: Route;
  stepId: string;
  changes: readonly Change[];
  /** When the step had made them. */
  at: Date;
  /** Another replica may have kept them before it died. */
  isAdopted: boolean;
};

/** Of one step. */
const filesMax = 1000;

/** The end of the step cannot be recorded meanwhile either. */
const outageMsMax = 120_000;

/**
 * Keeps what a step did to the workspace, as artifacts and in the session's world, and says it as the step's events do. Never throws:
 * what cannot be kept is an omission.
 */
export async function collectChanges(
  deps: CollectChangesDependencies,
  input: CollectChangesInput,
): Promise<readonly ArtifactContent[]> {
  if (input.changes.length === 0) return [];
  return await deps.sessionLocks.run(input.route.sessionId, () => keep(deps, input));
}

async function keep(deps: CollectChangesDependencies, input: CollectChangesInput): Promise<readonly ArtifactContent[]> {
  const { route, stepId } = input;
  const { sessionId } = route;
  const { listed, rest } = listedChanges(input.changes);
  try {
    // Artifacts and world are recorded together, so one artifact says that all of it was done.
    const earlier = input.isAdopted ? await findRecordedArtifacts(deps.db, { sessionId, stepId, role: 'output' }) : [];
    if (earlier.length > 0) return earlier;
    const kept = await storeChangedFiles(deps, { route, changes: listed, filesMax });
    const artifacts = kept.map((file) => newArtifact(input, file));
    const remove = pathsGone([...listed, ...rest]);
    const world = {
      put: kept.flatMap(({ change, content }) => (content ? [{ path: change.path, ...content }] : [])),
      // Steps that came later were kept before an adopted one, and may have made the path anew.
      remove: input.isAdopted ? await confirmDeleted(deps, { route, paths: remove }) : remove,
    };
    await retryThroughOutage(() => recordArtifacts(deps.db, { sessionId, artifacts, world }), { ms: outageMsMax });
    return artifacts.map((artifact) => artifactContent(sessionId, artifact));
  } catch (err) {
    deps.log.error({ sessionId, stepId, err }, 'what a step changed could not be kept');
    return listed.map((change) => artifactContent(sessionId, newArtifact(input, unkept(change))));
  }
}

/** Where no file is any more. */
const pathsGone = (changes: readonly Change[]): string[] =>
  changes
    .filter(({ change, omission }) => (change === 'deleted' && !omission) || omission === 'not-a-file')
    .map(({ path }) => path);

const unkept = (change: Change): StoredFile => ({
  change,
  content: null,
  omission: change.omission ?? (change.change === 'deleted' ? null : 'unreadable'),
});

const newArtifact = ({ stepId, at }: CollectChangesInput, { change, content, omission }: StoredFile): NewArtifact => ({
  id: artifactIdFor(stepId, 'output', change.path),
  stepId,
  path: change.path,
  role: 'output',
  change: change.change,
  size: content?.size ?? null,
  sha256: content?.sha256 ?? null,
  mimeType: content && mimeType(change.path),
  concurrent: change.concurrent,
  omission,
  createdAt: at,
});
