import {
  type Page,
  Problem,
  type Proposal,
  type ProposalStatus,
  type ProposalWithChanges,
} from '@holdfast/specs/public';
import type { Contents } from '../../contents/contents.ts';
import type { Database } from '../../registry/connect.ts';
import {
  type FoundProposal,
  findProposal,
  listProposals as list,
  listProposalChanges,
} from '../../registry/proposals/find-proposals.ts';
import type { Caller } from '../../sessions/caller.ts';
import { existingSession } from '../../sessions/existing-session.ts';
import { proposalView } from './proposal-view.ts';
import { unifiedDiffs } from './unified-diff.ts';

type ListInput = {
  caller: Caller;
  sessionId: string;
  status?: ProposalStatus | undefined;
  limit: number;
  cursor?: string | undefined;
};

/**
 * The proposals of a session by number, also after its end.
 * @throws Problem 404; 410 if the session was deleted
 */
export async function listProposals(
  { db }: { db: Database },
  { caller, sessionId, ...query }: ListInput,
): Promise<Page<Proposal>> {
  await existingSession(db, { id: sessionId, tenant: caller.tenant });
  const { items, nextCursor } = await list(db, { sessionId, ...query });
  return { items: items.map(proposalView), nextCursor };
}

type GetInput = { caller: Caller; sessionId: string; proposalId: string };

/**
 * A proposal with its changes and their diffs, also after the end of its session.
 * @throws Problem 404; 410 if the session was deleted; 503
 */
export async function getProposal(
  { db, contents }: { db: Database; contents: Pick<Contents, 'open'> },
  { caller, sessionId, proposalId }: GetInput,
): Promise<ProposalWithChanges> {
  await existingSession(db, { id: sessionId, tenant: caller.tenant });
  const proposal = await existingProposal(db, { sessionId, proposalId });
  const changes = await listProposalChanges(db, proposal);
  const diffs = await unifiedDiffs(contents, changes);
  const withDiffs = changes.map((change, index) => ({
    ...change,
    ...(diffs[index] ?? { diff: null, diffOmission: null }),
  }));
  return { ...proposalView(proposal), changes: withDiffs };
}

/** @throws Problem 404 */
export async function existingProposal(
  db: Database,
  { sessionId, proposalId }: Pick<GetInput, 'sessionId' | 'proposalId'>,
): Promise<FoundProposal> {
  const proposal = await findProposal(db, { sessionId, id: proposalId });
  if (proposal) return proposal;
  throw new Problem('not-found', { detail: `proposal ${proposalId} does not exist in session ${sessionId}` });
}
