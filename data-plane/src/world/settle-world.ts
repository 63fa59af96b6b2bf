import { newId, workspacePath } from '@holdfast/specs/public';
import { auditApplied } from '../policy/files/audit-applied.ts';
import { type Expected, readExpected } from '../policy/files/read-expected.ts';
import { worldRules } from '../policy/files/world-rules.ts';
import { recordAudit } from '../registry/audit/record-audit.ts';
import { insertProposal, nextProposalNumber } from '../registry/proposals/insert-proposal.ts';
import { listRejectedInPlace, noteAllPutBack } from '../registry/proposals/rejected-in-place.ts';
import type { WorldClaim } from '../registry/world-files/claim-world.ts';
import { noteFilled } from '../registry/world-files/note-filled.ts';
import { recordChanges } from '../registry/world-files/record-changes.ts';
import { releaseWorld } from '../registry/world-files/release-world.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import { type ApplyDependencies, applyRules } from './apply-rules.ts';
import { compareWorld } from './compare-world.ts';
import { putBack, wantedAt } from './put-back.ts';

export type SettleDependencies = ApplyDependencies & {
  limits: { uploadBytesMax: number };
};

/** For the comparison; storing the files that differ has a limit of its own. */
const compareMsMax = 60_000;

/**
 * Makes a marked world equal to the working copy, which is newer: each write changes the working copy first. Releases the claim, and
 * removes the mark if everything could be compared and stored. Files beyond a limit stay out, as after a step. Never throws.
 *
 * Under a policy, the working copy first gets what was rejected or hidden taken away, and what is no longer hidden added. Then what the rules forbid is put
 * back, and in proposal mode the rest becomes a proposal.
 */
export async function settleWorld(
  deps: SettleDependencies,
  { route, claim }: { route: Route; claim: WorldClaim },
): Promise<void> {
  const { db, log, limits } = deps;
  const { sessionId } = claim;
  const fileBytesMax = Math.max(limits.uploadBytesMax, limits.keptFileBytesMax);
  const signal = AbortSignal.timeout(compareMsMax);
  try {
    const adapted = claim.rules && { ...claim.rules, filledPatterns: claim.rules.readPatterns };
    const expected = await readExpected(db, { sessionId, rules: adapted });
    if (claim.rules) await adaptWorkingCopy(deps, { route, claim, expected, signal });
    const comparing = { route, expected: expected.visible, signal };
    const { changes, remove, directories, others, isCut } = await compareWorld({ ...deps, fileBytesMax }, comparing);
    // An upload may be larger than a file that a step leaves. All files together are limited by what a session can store.
    const roomy = { ...limits, keptFileBytesMax: fileBytesMax, keptStepBytesMax: limits.keptSessionBytesMax };
    const links = others.flatMap(({ path }) => (path !== '' && workspacePath(path) === path ? [path] : []));
    const { files, world, proposed, refused, isUnsettled } = await applyRules(
      { ...deps, limits: roomy },
      {
        ...{ route, changes, remove, directories, others: links, filesMax: changes.length, isPatient: false },
        claim: { ...claim, rules: adapted },
      },
    );
    const isChanging = files.some(({ omission }) => omission === 'changing');
    const stays = isUnsettled || isChanging;
    const proposal =
      proposed.length > 0
        ? { id: newId('prp'), number: await nextProposalNumber(db, { sessionId }), stepId: null, changes: proposed }
        : null;
    const by = { actor: 'system', stepId: null } as const;
    const entries = auditApplied({ session: route, by, proposal, refused });
    await recordChanges(db, {
      claim: { ...claim, isUnsettled: stays },
      artifacts: [],
      ...world,
      underRules: true,
      async also(tx) {
        if (proposal) await insertProposal(tx, { sessionId, proposal });
        if (entries.length > 0) await recordAudit(tx, ...entries);
        if (!adapted) return;
        await noteFilled(tx, { sessionId, patterns: adapted.readPatterns });
        await noteAllPutBack(tx, { sessionId });
      },
    });
    const stored = files.filter(({ content }) => content).length;
    const omitted = files.filter(({ content, rule }) => !content && !rule).length;
    const counts = { stored, omitted, refused: refused.size, removed: world.remove.length };
    log.warn(
      { sessionId, ...counts, proposal: proposal?.id, isCut, isUnsettled: stays },
      'a marked world was compared with the working copy',
    );
  } catch (err) {
    log.warn({ sessionId, err }, 'a marked world could not be compared with the working copy');
    // If this fails as well, the mark stays by itself: the claim is still there.
    await releaseWorld(db, { ...claim, isUnsettled: true }).catch(() => {});
  }
}

type Adapting = { route: Route; claim: WorldClaim; expected: Expected; signal: AbortSignal };

/** Changes the paths of a working copy that a rejection or another policy left as they were, before it counts as what code has made of it. */
async function adaptWorkingCopy(
  deps: SettleDependencies,
  { route, claim, expected: { all, visible }, signal }: Adapting,
): Promise<void> {
  const { sessionId, rules } = claim;
  const rejected = await listRejectedInPlace(deps.db, { sessionId });
  const before = worldRules(rules && { ...rules, readPatterns: rules.filledPatterns });
  const isNew = (path: string) => before.hides(path) === visible.files.has(path);
  const changed = [...all.files.keys()].filter(isNew);
  const paths = [...rejected, ...changed];
  if (paths.length > 0) await putBack(deps, { route, wanted: wantedAt(paths, visible), signal });
}
