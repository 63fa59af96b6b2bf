import type { Proposal, ProposalWithChanges } from '../generated/api.ts';
import { answerOf, type CallOptions, type Connection } from '../http/create-api.ts';
import { paged } from '../http/paged.ts';

/** `paths`: these changes alone. Default: all. */
export type DecideOptions = CallOptions & { paths?: string[] | undefined };

/** Changes of files that wait for the host. Deciding needs a key with the scope `host`. */
export type Proposals = ReturnType<typeof createProposals>;

export function createProposals({ api }: Connection, sessionId: string) {
  const ofProposal = (proposalId: string) => ({ path: { sessionId, proposalId } });
  return {
    /** In the order in which they were made. */
    list({
      status,
      signal,
    }: CallOptions & { status?: Proposal['status'] } = {}): AsyncGenerator<Proposal, void, undefined> {
      return paged((cursor) =>
        answerOf(
          api.GET('/v1/sessions/{sessionId}/proposals', {
            params: { path: { sessionId }, query: { ...cursor, ...(status && { status }) } },
            ...(signal && { signal }),
          }),
        ),
      );
    },

    /** Every change of it, text files with a unified diff. */
    async get(proposalId: string, { signal }: CallOptions = {}): Promise<ProposalWithChanges> {
      const params = ofProposal(proposalId);
      return await answerOf(
        api.GET('/v1/sessions/{sessionId}/proposals/{proposalId}', { params, ...(signal && { signal }) }),
      );
    },

    /** Takes the changes into the session's approved files: all that are asked for, or none. */
    async commit(proposalId: string, { paths, signal }: DecideOptions = {}): Promise<Proposal> {
      const request = { params: ofProposal(proposalId), body: paths ? { paths } : {}, ...(signal && { signal }) };
      return await answerOf(api.POST('/v1/sessions/{sessionId}/proposals/{proposalId}/commit', request));
    },

    /** Puts the working copy back. Later changes that build on it are rejected, too. */
    async reject(proposalId: string, { paths, signal }: DecideOptions = {}): Promise<Proposal> {
      const request = { params: ofProposal(proposalId), body: paths ? { paths } : {}, ...(signal && { signal }) };
      return await answerOf(api.POST('/v1/sessions/{sessionId}/proposals/{proposalId}/reject', request));
    },
  };
}
