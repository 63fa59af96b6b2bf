import type { Change, DirectoryChange } from '@holdfast/specs/agent';
import { artifactIdFor, workspacePath } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import type { NewArtifact } from '../registry/artifacts/record-artifacts.ts';
import type { WorldClaim } from '../registry/world-files/claim-world.ts';
import { recordChanges } from '../registry/world-files/record-changes.ts';
import { releaseWorld } from '../registry/world-files/release-world.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import { confirmDeleted } from '../world/confirm-deleted.ts';
import type { Worlds, WorldWrite } from '../world/create-worlds.ts';
import { retryThroughOutage } from '../world/retry-through-outage.ts';
import {
  type ChangedFile,
  type StoreFilesDependencies,
  storeChangedFiles,
  storedFiles,
} from '../world/store-changed-files.ts';
import { type ArtifactContent, artifactContent } from './artifact-view.ts';
import { findRecordedArtifacts } from './find-recorded-artifacts.ts';
import { listedChanges } from './listed-changes.ts';
import { mimeType } from './mime-type.ts';

export type StoreArtifactsDependencies = StoreFilesDependencies & {
  agents: Pick<AgentClient, 'readFile' | 'call'>;
  /** Steps of a session are stored in the order in which they ended, so that the world is as the last one left it. */
  worlds: Pick<Worlds, 'write'>;
};

type StoreArtifactsInput = {
  route: Route;
  stepId: string;
  changes: readonly Change[];
  directories: readonly DirectoryChange[];
  /** The end of the step. */
  at: Date;
  /** Whether the step was handed over: another replica may have stored its artifacts. Asked in the order in which steps are stored. */
  isHandedOver(): Promise<boolean>;
};

/** The number of files of one step whose contents are stored. */
const filesMax = 1000;

/** The characters of the paths of all directories of one step. */
const directoriesLengthMax = 4 * 2 ** 20;

/** For asking about all deleted files of a step. After that the world is compared as a whole, when it is next needed. */
const confirmMsMax = 60_000;

/**
 * Stores what a step did in the workspace: the contents of files, its artifacts, and the session's world, which also has the directories.
 * Returns the artifacts as the step's events contain them. While the database is away it waits, as the end of the step does. Never throws: a
 * file that cannot be stored becomes an artifact with an omission.
 */
export async function storeArtifacts(
  deps: StoreArtifactsDependencies,
  input: StoreArtifactsInput,
): Promise<readonly ArtifactContent[]> {
  if (input.changes.length === 0 && input.directories.length === 0) return [];
  const { sessionId } = input.route;
  const { listed, rest } = listedChanges(input.changes);
  try {
    let { isHandedOver } = input;
    const write = () => {
      const step = { ...input, listed, rest, isHandedOver };
      // A try that failed may have recorded everything, as one that a replica died in.
      isHandedOver = async () => true;
      const save = ({ claim, touch }: WorldWrite) =>
        touch(() => storeAndRecord(deps, claim, step), { leavesAll: () => false });
      return deps.worlds.write({ sessionId, route: input.route, isPatient: true }, save);
    };
    for (;;) {
      const artifacts = await retryThroughOutage(write, { isPatient: true });
      if (artifacts) return artifacts;
    }
  } catch (err) {
    deps.log.error({ sessionId, stepId: input.stepId, err }, 'could not store the files that a step changed');
    return listed.map((change) => artifactContent(sessionId, newArtifact(input, unreadFile(change))));
  }
}

type Listed = StoreArtifactsInput & { listed: Change[]; rest: Change[] };

/**
 * Null if the claim was released before: another replica took it over because this one was silent for long, or the answer of a
 * statement that was committed was lost.
 */
async function storeAndRecord(
  deps: StoreArtifactsDependencies,
  claim: WorldClaim,
  input: Listed,
): Promise<readonly ArtifactContent[] | null> {
  const { route, stepId, listed, rest } = input;
  const { sessionId } = route;
  const patiently = <T>(work: () => Promise<T>) => retryThroughOutage(work, { isPatient: true });
  const isHandedOver = await patiently(input.isHandedOver);
  // Artifacts and world are recorded in one transaction, so a single recorded artifact proves that everything was.
  const recorded = () => findRecordedArtifacts(deps.db, { sessionId, stepId, role: 'output' });
  const earlier = isHandedOver ? await patiently(recorded) : [];
  if (earlier.length > 0) {
    await patiently(() => releaseWorld(deps.db, claim));
    return earlier;
  }
  const files = await storeChangedFiles(deps, { route, claim, changes: listed, filesMax, isPatient: true });
  const artifacts = files.map((file) => newArtifact(input, file));
  const deleted = deletedPaths([...listed, ...rest]);
  // Artifacts of later steps were stored before those of a step that was handed over, and a later step may have created the path again.
  const gone = isHandedOver ? await pathsStillGone(deps, route, deleted) : deleted;
  // A later step may also have removed a directory, or made it again, so the world is compared.
  const isUncertain = gone === null || (isHandedOver && input.directories.length > 0);
  const isUnsettled = claim.isUnsettled || isUncertain || files.some(({ isFailed }) => isFailed);
  const changes = {
    claim: { ...claim, isUnsettled },
    artifacts,
    put: storedFiles(files),
    remove: gone ?? [],
    directories: isHandedOver ? undefined : recordable(input.directories),
  };
  const isRecorded = await patiently(() => recordChanges(deps.db, changes));
  return isRecorded ? artifacts.map((artifact) => artifactContent(sessionId, artifact)) : null;
}

/** The last change of each directory with a normal path, as the world records it, within what an agent lists at most. */
function recordable(changes: readonly DirectoryChange[]): { put: string[]; remove: string[] } {
  const kinds = new Map(changes.map(({ path, change }) => [path, change]));
  let length = 0;
  const normal = [...kinds.keys()].filter((path) => {
    if (path === '' || workspacePath(path) !== path) return false;
    length += path.length;
    return length <= directoriesLengthMax;
  });
  return {
    put: normal.filter((path) => kinds.get(path) === 'created'),
    remove: normal.filter((path) => kinds.get(path) === 'deleted'),
  };
}

/** Null if the agent could not be asked about all of them. */
const pathsStillGone = (deps: StoreArtifactsDependencies, route: Route, paths: string[]): Promise<string[] | null> =>
  confirmDeleted(deps, { route, paths, signal: AbortSignal.timeout(confirmMsMax) }).catch(() => null);

/** The paths that are no longer files. */
const deletedPaths = (changes: readonly Change[]): string[] =>
  changes
    .filter(({ change, omission }) => (change === 'deleted' && !omission) || omission === 'not-a-file')
    .map(({ path }) => path);

const unreadFile = (change: Change): ChangedFile => ({
  change,
  content: null,
  omission: change.omission ?? (change.change === 'deleted' ? null : 'unreadable'),
  isFailed: true,
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
