import type { Proposal } from '@holdfast/specs/public';
import { entryOf } from '../../policy/audit/asked-by.ts';
import { recordAudit } from '../../registry/audit/record-audit.ts';
import { decideChanges } from '../../registry/proposals/decide-changes.ts';
import { listOpenChanges } from '../../registry/proposals/find-proposals.ts';
import { lockAtRest } from '../../registry/proposals/lock-at-rest.ts';
import { listWorldFiles } from '../../registry/world-files/list-world-files.ts';
import { recordChanges } from '../../registry/world-files/record-changes.ts';
import { listWorldDirectories } from '../../registry/world-files/world-directories.ts';
import { changedJustNow } from '../../sessions/existing-session.ts';
import { worldIsBusy } from '../record-change.ts';
import { type DecideDependencies, type DecideInput, decideProposal } from './decide-proposal.ts';
import { planCommit } from './plan-commit.ts';

/**
 * Puts open changes of a proposal into the world, all or none. The working copy has them already. A repeat succeeds.
 * @throws Problem 404; 409 `proposal-conflict` as in `planCommit`, or if the changes were rejected; 409, 410 or 503 unless the session is active or paused
 */
export async function commitProposal(deps: DecideDependencies, input: DecideInput): Promise<Proposal> {
  return await decideProposal(deps, input, { as: 'committed' }, async ({ route, selected, write: { claim } }) => {
    const { sessionId } = claim;
    const [open, files, directories] = await Promise.all([
      listOpenChanges(deps.db, { sessionId }),
      listWorldFiles(deps.db, { sessionId }),
      listWorldDirectories(deps.db, { sessionId }),
    ]);
    const world = { files: new Map(files.map((file) => [file.path, file])), directories: new Set(directories) };
    const commit = planCommit(selected, { open, world });
    await deps.db.transaction(async (tx) => {
      if (!(await lockAtRest(tx, { sessionId, epoch: route?.epoch }))) throw changedJustNow(sessionId);
      const decider = { by: 'host', keyId: input.caller.keyId } as const;
      await decideChanges(tx, { sessionId, changes: selected, as: 'committed', decider });
      const { caller, proposalId } = input;
      const given = { operation: 'proposal.commit', proposalId, count: selected.length };
      await recordAudit(tx, entryOf(caller, sessionId, given));
      if (!(await recordChanges(tx, { claim, artifacts: [], ...commit }))) throw worldIsBusy();
    });
  });
}
