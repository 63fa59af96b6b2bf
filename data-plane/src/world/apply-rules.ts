import type { Change } from '@holdfast/specs/agent';
import type { Omission, ProposedChange } from '@holdfast/specs/public';
import type { AgentClient } from '../agent/agent-client.ts';
import type { Contents } from '../contents/contents.ts';
import type { Logger } from '../observability/logger.ts';
import { proposedChanges } from '../policy/files/proposed-changes.ts';
import { type Expected, readExpected } from '../policy/files/read-expected.ts';
import { type Difference, separateForbidden } from '../policy/files/separate-forbidden.ts';
import type { WorldRule } from '../policy/files/world-rules.ts';
import type { WorldClaim } from '../registry/world-files/claim-world.ts';
import type { NewWorldFile } from '../registry/world-files/record-changes.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import { putBack, wantedAt } from './put-back.ts';
import { retryThroughOutage } from './retry-through-outage.ts';
import {
  type ChangedFile,
  type StoreFilesDependencies,
  storeChangedFiles,
  storedFiles,
} from './store-changed-files.ts';

export type ApplyDependencies = StoreFilesDependencies & {
  agents: Pick<AgentClient, 'readFile' | 'call'>;
  contents: Pick<Contents, 'store' | 'open'>;
  log: Pick<Logger, 'warn' | 'error'>;
};

type ApplyInput = {
  route: Route;
  claim: WorldClaim;
  changes: readonly Change[];
  /** Special files, and links that a world cannot keep, which are not among the changes. */
  others?: readonly string[];
  remove: readonly string[];
  directories?: Difference['directories'] | undefined;
  filesMax: number;
  isPatient: boolean;
};

/** A changed file; `rule` forbids the change. */
export type JudgedFile = ChangedFile & { rule: WorldRule | null };

/** To be recorded: in the world, or in a proposal, or neither. */
export type Applied = {
  files: JudgedFile[];
  world: { put: readonly NewWorldFile[] } & Pick<Difference, 'remove' | 'directories'>;
  proposed: ProposedChange[];
  /** The paths that were put back. */
  refused: ReadonlyMap<string, WorldRule>;
  /** Whether the working copy may still have changes that are forbidden, or others that could not be stored. */
  isUnsettled: boolean;
};

const noDirectories = { put: [], remove: [] };
const nothing = { put: [], remove: [], directories: noDirectories };

/** The index has no room for a much longer path. */
const proposedPathBytesMax = 2048;

/** For putting back what is forbidden. After that the working copy is compared as a whole, when the world is next needed. */
const putBackMsMax = 60_000;

/**
 * Stores the changes of a working copy that the rules of the claim allow, and puts the others back. While proposals are made, the world
 * stays as it is.
 * @throws the database's error if it is away and this is not patient
 */
export async function applyRules(deps: ApplyDependencies, input: ApplyInput): Promise<Applied> {
  const { route, claim, changes, others = [], remove, directories = noDirectories, filesMax, isPatient } = input;
  if (!claim.rules) {
    const files = await storeChangedFiles(deps, { route, claim, changes, filesMax, isPatient });
    return {
      files: files.map((file) => ({ ...file, rule: null })),
      world: { put: storedFiles(files), remove, directories },
      proposed: [],
      refused: new Map(),
      isUnsettled: files.some(({ isFailed }) => isFailed),
    };
  }
  const expected = await retryThroughOutage(() => readExpected(deps.db, claim), { isPatient });
  const { rules, all, visible } = expected;
  const readable = changes.map((change) => ({ ...change, ...unreadReason(expected, change) }));
  const stored = await storeChangedFiles(deps, { route, claim, changes: readable, filesMax, isPatient });
  const put = storedFiles(stored).map((file) => ({
    ...file,
    executable: file.executable ?? all.files.get(file.path)?.executable ?? false,
  }));
  const unstored = stored.flatMap(({ change, omission }) =>
    omission !== null && isNamed(change) && change.change !== 'deleted' ? [change.path] : [],
  );
  const difference = { put, unstored: [...unstored, ...others], remove, directories };
  const { allowed, refused } = separateForbidden(difference, { expected: all, rules });
  let isUnsettled = stored.some(({ isFailed, change }) => isFailed || change.omission === 'too-many');
  if (refused.size > 0) {
    const signal = AbortSignal.timeout(putBackMsMax);
    await putBack(deps, { route, wanted: wantedAt(refused.keys(), visible), signal }).catch((err) => {
      isUnsettled = true;
      deps.log.warn({ sessionId: route.sessionId, err }, 'changes that the policy forbids could not be put back');
    });
  }
  const judged = stored.map((file) => judge(file, refused.get(file.change.path) ?? null));
  return {
    // A file that is forbidden and not refused has been put back by another step.
    files: judged.filter(
      ({ change, rule }) =>
        rule !== null || change.change === 'deleted' || !isNamed(change) || !rules.forbids(change.path),
    ),
    world: rules.isProposing ? nothing : allowed,
    proposed: rules.isProposing ? [...proposedChanges(allowed, all), ...newSpecialFiles(changes, refused)] : [],
    refused,
    isUnsettled,
  };
}

/** Sockets and the like that a step has made. No world can keep one, but a rejection takes it away. */
const newSpecialFiles = (changes: readonly Change[], refused: ReadonlyMap<string, WorldRule>): ProposedChange[] =>
  changes.flatMap(({ path, change, omission }) => {
    if (omission !== 'not-a-file' || change === 'deleted' || path === '' || refused.has(path)) return [];
    if (Buffer.byteLength(path) > proposedPathBytesMax) return [];
    return [{ path, kind: 'special', change: 'created', before: null, after: null }];
  });

const isNamed = ({ path, omission }: Change) => path !== '' && omission !== 'invalid-name' && omission !== 'too-many';

/**
 * The omission of a file whose content is not read: a rule forbids the change. It is read even so if it may be what was there before, because
 * another step changed the file and it was put back.
 */
function unreadReason(
  { rules, all }: Expected,
  { path, change, size, concurrent, omission }: Change,
): { omission?: Omission } {
  if (omission !== undefined || change === 'deleted') return {};
  if (rules.forbids(path) !== null)
    return concurrent && all.files.get(path)?.size === size ? {} : { omission: 'refused' };
  return rules.isProposing && Buffer.byteLength(path) > proposedPathBytesMax ? { omission: 'invalid-name' } : {};
}

const judge = (file: ChangedFile, rule: WorldRule | null): JudgedFile =>
  rule === null ? { ...file, rule } : { ...file, content: null, omission: 'refused', isFailed: false, rule };
