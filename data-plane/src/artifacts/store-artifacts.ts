import type { Change, DirectoryChange } from '@holdfast/specs/agent';
import {
  type Actor,
  artifactIdFor,
  proposalIdFor,
  type RefusedChanges,
  type StepProposal,
  workspacePath,
} from '@holdfast/specs/public';
import { auditApplied } from '../policy/files/audit-applied.ts';
import type { NewArtifact } from '../registry/artifacts/record-artifacts.ts';
import { findRefusedChanges } from '../registry/audit/find-refused-changes.ts';
import { recordAudit } from '../registry/audit/record-audit.ts';
import type { Database } from '../registry/connect.ts';
import { insertProposal, nextProposalNumber } from '../registry/proposals/insert-proposal.ts';
import type { Queries } from '../registry/queries.ts';
import type { WorldClaim } from '../registry/world-files/claim-world.ts';
import { recordChanges } from '../registry/world-files/record-changes.ts';
import { releaseWorld } from '../registry/world-files/release-world.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import { type ApplyDependencies, applyRules, type JudgedFile } from '../world/apply-rules.ts';
import { confirmDeleted } from '../world/confirm-deleted.ts';
import type { Worlds, WorldWrite } from '../world/create-worlds.ts';
import { findStepProposals, stepProposal } from '../world/proposals/step-proposal.ts';
import { retryThroughOutage } from '../world/retry-through-outage.ts';
import { type ArtifactContent, artifactContent } from './artifact-view.ts';
import { findRecordedArtifacts } from './find-recorded-artifacts.ts';
import { listedChanges } from './listed-changes.ts';
import { mimeType } from './mime-type.ts';

export type StoreArtifactsDependencies = ApplyDependencies & {
  /** Steps of a session are stored in the order in which they ended, so that the world is as the last one left it. */
  worlds: Pick<Worlds, 'write'>;
};

type StoreArtifactsInput = {
  route: Route;
  stepId: string;
  /** The sender of the step. */
  by: { actor: Actor; keyId: string | null };
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

/** The changes that a step made to files, as its events contain them. `proposals` wait for the host. */
export type StepChanges = {
  artifacts: readonly ArtifactContent[];
  proposals: readonly StepProposal[];
  /** The changes that rules forbid, which were put back; null if there were none. */
  refusedChanges: RefusedChanges | null;
};

/**
 * Stores what a step did in the workspace: the contents of files, its artifacts, and the session's world, which also has the directories.
 * Changes that the policy of the session forbids are put back; in proposal mode, the rest becomes a proposal, and the world stays as it is. While the database is away it waits, as the end of the step does. Never throws: a
 * file that cannot be stored becomes an artifact with an omission.
 */
export async function storeArtifacts(
  deps: StoreArtifactsDependencies,
  input: StoreArtifactsInput,
): Promise<StepChanges> {
  if (input.changes.length === 0 && input.directories.length === 0)
    return { artifacts: [], proposals: [], refusedChanges: null };
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
      const changes = await retryThroughOutage(write, { isPatient: true });
      if (changes) return changes;
    }
  } catch (err) {
    deps.log.error({ sessionId, stepId: input.stepId, err }, 'could not store the files that a step changed');
    const artifacts = listed.map((change) => artifactContent(sessionId, newArtifact(input, unreadFile(change))));
    return { artifacts, proposals: [], refusedChanges: null };
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
): Promise<StepChanges | null> {
  const { route, stepId, listed, rest } = input;
  const { sessionId } = route;
  const patiently = <T>(work: () => Promise<T>) => retryThroughOutage(work, { isPatient: true });
  const isHandedOver = await patiently(input.isHandedOver);
  // Artifacts, world, proposal and audit are recorded in one transaction, so a single recorded artifact proves that everything was.
  const earlier = isHandedOver ? await patiently(() => findRecordedChanges(deps.db, { sessionId, stepId })) : null;
  if (earlier) {
    await patiently(() => releaseWorld(deps.db, claim));
    return earlier;
  }
  const deleted = deletedPaths([...listed, ...rest]);
  // Artifacts of later steps were stored before those of a step that was handed over, and a later step may have created the path again.
  const gone = isHandedOver ? await pathsStillGone(deps, route, deleted) : deleted;
  const directories = isHandedOver ? undefined : recordable(input.directories);
  const changed = { route, claim, changes: listed, remove: gone ?? [], directories, filesMax, isPatient: true };
  const { files, world, proposed, refused, isUnsettled: isIncomplete } = await applyRules(deps, changed);
  const artifacts = files.map((file) => newArtifact(input, file));
  const proposal =
    proposed.length > 0
      ? {
          id: proposalIdFor(stepId),
          stepId,
          number: await patiently(() => nextProposalNumber(deps.db, claim)),
          changes: proposed,
        }
      : null;
  // Code may have written files through the data-plane, too.
  const written = claim.rules?.isProposing
    ? await patiently(() => findStepProposals(deps.db, { sessionId, stepId }))
    : [];
  // A later step may also have removed a directory, or made it again, so the world is compared.
  const isUncertain = gone === null || (isHandedOver && input.directories.length > 0);
  const isUnsettled = claim.isUnsettled || isUncertain || isIncomplete;
  const entries = auditApplied({ session: route, by: { ...input.by, stepId }, proposal, refused });
  const also = async (tx: Queries) => {
    if (proposal) await insertProposal(tx, { sessionId, proposal });
    if (entries.length > 0) await recordAudit(tx, ...entries);
  };
  const recording = { claim: { ...claim, isUnsettled }, artifacts, ...world, underRules: true };
  const isRecorded = await patiently(() => recordChanges(deps.db, { ...recording, also }));
  if (!isRecorded) return null;
  return {
    artifacts: artifacts.map((artifact) => artifactContent(sessionId, artifact)),
    proposals: [...written, ...(proposal ? [stepProposal(proposal)] : [])],
    refusedChanges: counted([...refused.values()]),
  };
}

/** The recorded changes of a step; null if there are none. */
async function findRecordedChanges(
  db: Database,
  { sessionId, stepId }: { sessionId: string; stepId: string },
): Promise<StepChanges | null> {
  const artifacts = await findRecordedArtifacts(db, { sessionId, stepId, role: 'output' });
  const proposals = await findStepProposals(db, { sessionId, stepId });
  const isRecorded = artifacts.length > 0 || proposals.some(({ id }) => id === proposalIdFor(stepId));
  const refusedChanges = await findRefusedChanges(db, { sessionId, stepId });
  return isRecorded || refusedChanges ? { artifacts, proposals, refusedChanges } : null;
}

/** The changes that were put back, by the rule of each. */
const counted = (rules: readonly string[]): RefusedChanges | null =>
  rules.length > 0 ? { count: rules.length, rules: [...new Set(rules)].sort() } : null;

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

const unreadFile = (change: Change): JudgedFile => ({
  change,
  content: null,
  omission: change.omission ?? (change.change === 'deleted' ? null : 'unreadable'),
  isFailed: true,
  rule: null,
});

const newArtifact = (
  { stepId, at }: StoreArtifactsInput,
  { change, content, omission, rule }: JudgedFile,
): NewArtifact => ({
  id: artifactIdFor(stepId, 'output', change.path),
  stepId,
  path: change.path,
  role: 'output',
  change: change.change,
  ...contentOf(change, content),
  concurrent: change.concurrent,
  omission: change.target === undefined ? omission : (omission ?? 'not-a-file'),
  rule,
  createdAt: at,
});

/** A link has no content that could be downloaded, although the world keeps its target. */
const contentOf = ({ path, target }: Change, content: JudgedFile['content']) =>
  content && target === undefined
    ? { size: content.size, sha256: content.sha256, mimeType: mimeType(path) }
    : { size: null, sha256: null, mimeType: null };
