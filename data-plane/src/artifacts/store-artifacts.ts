import type { Change } from '@holdfast/specs/agent';
import { artifactIdFor } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import { type NewArtifact, recordArtifacts } from '../registry/artifacts/record-artifacts.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import type { KeyedLocks } from '../timing/keyed-locks.ts';
import { type ArtifactContent, artifactContent } from './artifact-view.ts';
import { confirmDeleted } from './confirm-deleted.ts';
import { findRecordedArtifacts } from './find-recorded-artifacts.ts';
import { listedChanges } from './listed-changes.ts';
import { mimeType } from './mime-type.ts';
import { retryThroughOutage } from './retry-through-outage.ts';
import { type ChangedFile, type StoreFilesDependencies, storeChangedFiles } from './store-changed-files.ts';

export type StoreArtifactsDependencies = StoreFilesDependencies & {
  agents: Pick<AgentClient, 'readFile' | 'call'>;
  /** Steps of a session are stored in the order in which they ended, so that the world is as the last one left it. */
  sessionLocks: KeyedLocks;
};

type StoreArtifactsInput = {
  route: Route;
  stepId: string;
  changes: readonly Change[];
  /** The end of the step. */
  at: Date;
  /** Whether the step was handed over: another replica may have stored its artifacts. Asked in the order in which steps are stored. */
  isHandedOver(): Promise<boolean>;
};

/** The number of files of one step whose contents are stored. */
const filesMax = 1000;

/** Long, since the end of the step cannot be recorded during an outage either. */
const outageMsMax = 120_000;

/**
 * Stores what a step did to files in the workspace: their contents, its artifacts, and the session's world. Returns the artifacts as
 * the step's events contain them. Never throws: a file that cannot be stored becomes an artifact with an omission.
 */
export async function storeArtifacts(
  deps: StoreArtifactsDependencies,
  input: StoreArtifactsInput,
): Promise<readonly ArtifactContent[]> {
  if (input.changes.length === 0) return [];
  const { sessionId } = input.route;
  const { listed, rest } = listedChanges(input.changes);
  return await deps.sessionLocks.run(sessionId, async () => {
    try {
      return await storeAndRecord(deps, { ...input, listed, rest });
    } catch (err) {
      deps.log.error({ sessionId, stepId: input.stepId, err }, 'could not store the files that a step changed');
      return listed.map((change) => artifactContent(sessionId, newArtifact(input, unreadFile(change))));
    }
  });
}

type Listed = StoreArtifactsInput & { listed: Change[]; rest: Change[] };

async function storeAndRecord(deps: StoreArtifactsDependencies, input: Listed): Promise<readonly ArtifactContent[]> {
  const { route, stepId, listed, rest } = input;
  const { sessionId } = route;
  const isHandedOver = await retryThroughOutage(input.isHandedOver, { ms: outageMsMax });
  // Artifacts and world are recorded in one transaction, so a single recorded artifact proves that everything was.
  const earlier = isHandedOver ? await findRecordedArtifacts(deps.db, { sessionId, stepId, role: 'output' }) : [];
  if (earlier.length > 0) return earlier;
  const files = await storeChangedFiles(deps, { route, changes: listed, filesMax });
  const artifacts = files.map((file) => newArtifact(input, file));
  const deleted = deletedPaths([...listed, ...rest]);
  const world = {
    put: files.flatMap(({ change, content }) => (content ? [{ path: change.path, ...content }] : [])),
    // Artifacts of later steps were stored before those of a step that was handed over, and a later step may have created the path again.
    remove: isHandedOver ? await confirmDeleted(deps, { route, paths: deleted }) : deleted,
  };
  await retryThroughOutage(() => recordArtifacts(deps.db, { sessionId, artifacts, world }), { ms: outageMsMax });
  return artifacts.map((artifact) => artifactContent(sessionId, artifact));
}

/** The paths that are no longer files. */
const deletedPaths = (changes: readonly Change[]): string[] =>
  changes
    .filter(({ change, omission }) => (change === 'deleted' && !omission) || omission === 'not-a-file')
    .map(({ path }) => path);

const unreadFile = (change: Change): ChangedFile => ({
  change,
  content: null,
  omission: change.omission ?? (change.change === 'deleted' ? null : 'unreadable'),
});

const newArtifact = ({ stepId, at }: StoreArtifactsInput, { change, content, omission }: ChangedFile): NewArtifact => ({
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
