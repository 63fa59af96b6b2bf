import type { Proposal } from '@holdfast/specs/public';
import { entryOf } from '../../policy/audit/asked-by.ts';
import { readExpected } from '../../policy/files/read-expected.ts';
import { type NewAuditEntry, recordAudit } from '../../registry/audit/record-audit.ts';
import { type Decider, decideChanges } from '../../registry/proposals/decide-changes.ts';
import { listOpenChanges, type OpenChange } from '../../registry/proposals/find-proposals.ts';
import { lockAtRest } from '../../registry/proposals/lock-at-rest.ts';
import { listRejectedInPlace, noteAllPutBack } from '../../registry/proposals/rejected-in-place.ts';
import { holdsWorld } from '../../registry/world-files/claim-world.ts';
import { releaseWorld } from '../../registry/world-files/release-world.ts';
import { changedJustNow } from '../../sessions/existing-session.ts';
import type { Route } from '../../sessions/sandbox-routes.ts';
import type { WorldWrite } from '../create-worlds.ts';
import { putBack, wantedAt } from '../put-back.ts';
import { worldIsBusy } from '../record-change.ts';
import { type DecideDependencies, type DecideInput, decideProposal } from './decide-proposal.ts';
import { withDependents } from './related-changes.ts';

/**
 * Rejects open changes of a proposal, and with them those that later ones built on them, and puts the working copy back as it was before. A
 * repeat succeeds.
 * @throws Problem 404; 409 `proposal-conflict` if the changes were committed; 409, 410 or 503 unless the session is active or paused
 */
export async function rejectProposal(deps: DecideDependencies, input: DecideInput): Promise<Proposal> {
  const { caller, sessionId, proposalId, paths } = input;
  const decider = { by: 'host', keyId: caller.keyId } as const;
  const entry = entryOf(caller, sessionId, { operation: 'proposal.reject', proposalId, paths });
  return await decideProposal(deps, input, { as: 'rejected' }, ({ route, selected, write }) =>
    rejectChanges(deps, { route, selected, write, as: 'rejected', decider, entry }),
  );
}

type Rollback = {
  route: Route;
  decider: Decider;
  /** Recorded in the audit log with the decision. */
  entry: NewAuditEntry;
};

/**
 * Rolls back all open changes of the proposals of a session, at the request of its own code.
 * @returns the number of proposals
 */
export async function rollBackProposals(
  deps: DecideDependencies,
  { route, decider, entry }: Rollback,
): Promise<number> {
  const { sessionId } = route;
  return await deps.worlds.write({ sessionId, route }, async (write) => {
    const selected = await listOpenChanges(deps.db, { sessionId });
    await rejectChanges(deps, { route, selected, write, as: 'rolled_back', decider, entry });
    return new Set(selected.map(({ proposalId }) => proposalId)).size;
  });
}

type Rejecting = {
  /** Null if the session has no working copy now. */
  route: Route | null;
  selected: readonly OpenChange[];
  write: WorldWrite;
  as: 'rejected' | 'rolled_back';
  decider: Decider;
  entry: NewAuditEntry;
};

const putBackMsMax = 60_000;

/**
 * The decision is recorded first. If putting back fails, or the replica dies, the world stays marked and the working copy is put back before
 * anything relies on it.
 */
async function rejectChanges(
  deps: DecideDependencies,
  { route, selected, write: { claim, touch }, as, decider, entry }: Rejecting,
): Promise<void> {
  const { db } = deps;
  const { sessionId } = claim;
  const changes = withDependents(selected, await listOpenChanges(db, { sessionId }));
  await db.transaction(async (tx) => {
    if (!(await lockAtRest(tx, { sessionId, epoch: route?.epoch }))) throw changedJustNow(sessionId);
    if (!(await holdsWorld(tx, claim))) throw worldIsBusy();
    await decideChanges(tx, { sessionId, changes, as, decider, areInPlace: route !== null });
    await recordAudit(tx, entry);
  });
  if (route) {
    const restore = async () => {
      const { visible } = await readExpected(db, claim);
      const paths = await listRejectedInPlace(db, { sessionId });
      await putBack(deps, { route, wanted: wantedAt(paths, visible), signal: AbortSignal.timeout(putBackMsMax) });
    };
    await touch(restore, { leavesAll: () => false });
  }
  await db.transaction(async (tx) => {
    if (!(await releaseWorld(tx, claim))) throw worldIsBusy();
    await noteAllPutBack(tx, { sessionId });
  });
}
