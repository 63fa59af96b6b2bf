import type { Proposal } from '@holdfast/specs/public';
import type { FoundProposal } from '../../registry/proposals/find-proposals.ts';

/** The public proposal without its changes. Pure. */
export const proposalView = ({ createdAt, decidedAt, ...proposal }: FoundProposal): Proposal => ({
  ...proposal,
  createdAt: createdAt.toISOString(),
  decidedAt: decidedAt?.toISOString() ?? null,
});
