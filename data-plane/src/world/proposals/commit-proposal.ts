import type { Proposal } from '@holdfast/specs/public';
import { entryOf } from '../../policy/audit/asked-by.ts';
import { type NewAuditEntry, recordAudit } from '../../registry/audit/record-audit.ts';
import { type Decider, decideChanges } from '../../registry/proposals/decide-changes.ts';
import { listOpenChanges } from '../../registry/proposals/find-proposals.ts';
import { lockAtRest } from '../../registry/proposals/lock-at-rest.ts';
import { listWorldFiles } from '../../registry/world-files/list-world-files.ts';
import { recordChanges } from '../../registry/world-files/record-changes.ts';
import { releaseWorld } from '../../registry/world-files/release-world.ts';
import { listWorldDirectories } from '../../registry/world-files/world-directories.ts';
import { changedJustNow } from '../../sessions/existing-session.ts';
import type { Route } from '../../sessions/sandbox-routes.ts';
import { worldIsBusy } from '../record-change.ts';
import { type DecideDependencies, type DecideInput, type Deciding, decideProposal } from './decide-proposal.ts';
import { planCommit } from './plan-commit.ts';

/**
 * Puts open changes of a proposal into the world, all or none. The working copy has them already. A repeat succeeds.
 * @throws Problem 404; 409 `proposal-conflict` as in `planCommit`, or if the changes were rejected; 409, 410 or 503 unless the session is active or paused
 */
export async function commitProposal(deps: DecideDependencies, input: DecideInput): Promise<Proposal> {
  const { caller, sessionId, proposalId } = input;
  return await decideProposal(deps, input, { as: 'committed' }, (deciding) => {
    const given = { operation: 'proposal.commit', proposalId, count: deciding.selected.length };
    const decider = { by: 'host', keyId: caller.keyId } as const;
    return commitChanges(deps, { ...deciding, decider, entry: entryOf(caller, sessionId, given) });
  });
}

type CodeCommit = { route: Route; entryOf: (given: { proposalId: string; count: number }) => NewAuditEntry };

/**
 * Commits the open proposals of a session at the request of its own code, one after the other, which its host has approved in advance.
 * @returns the number of proposals; null if some are open and the host has to be asked
 * @throws Problem 409 `proposal-conflict` as in `planCommit`; those before it are committed
 */
export async function commitAllProposals(
  deps: DecideDependencies,
  { route, entryOf }: CodeCommit,
): Promise<number | null> {
  const { sessionId } = route;
  for (let count = 0; ; count++) {
    const next = await deps.worlds.write({ sessionId, route }, async (write) => {
      const { claim } = write;
      const open = await listOpenChanges(deps.db, { sessionId });
      const selected = open.filter(({ proposalId }) => proposalId === open[0]?.proposalId);
      const [first] = selected;
      if (!first || !claim.rules?.codeMayCommit) {
        await releaseWorld(deps.db, claim);
        return first ? 'needs-host' : 'none';
      }
      const entry = entryOf({ proposalId: first.proposalId, count: selected.length });
      await commitChanges(deps, { route, selected, write, decider: { by: 'code' }, entry, underRules: true });
      return 'committed';
    });
    if (next === 'none') return count;
    if (next === 'needs-host') return null;
  }
}

type Committing = Deciding & {
  decider: Decider;
  /** Recorded in the audit log with the commit. */
  entry: NewAuditEntry;
  /** Fails if the policy has been changed since the claim. */
  underRules?: boolean;
};

async function commitChanges(
  { db }: DecideDependencies,
  { route, selected, write: { claim }, decider, entry, underRules = false }: Committing,
): Promise<void> {
  const { sessionId } = claim;
  const [open, files, directories] = await Promise.all([
    listOpenChanges(db, { sessionId }),
    listWorldFiles(db, { sessionId }),
    listWorldDirectories(db, { sessionId }),
  ]);
  const world = { files: new Map(files.map((file) => [file.path, file])), directories: new Set(directories) };
  const commit = planCommit(selected, { open, world });
  await db.transaction(async (tx) => {
    if (!(await lockAtRest(tx, { sessionId, epoch: route?.epoch }))) throw changedJustNow(sessionId);
    await decideChanges(tx, { sessionId, changes: selected, as: 'committed', decider });
    await recordAudit(tx, entry);
    if (!(await recordChanges(tx, { claim, artifacts: [], ...commit, underRules }))) throw worldIsBusy();
  });
}
