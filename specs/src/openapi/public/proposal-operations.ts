import { decideProposalSchema, proposalSchema, proposalWithChangesSchema } from '../../public/proposal.ts';
import { page } from '../../public/values/page.ts';
import type { ProblemSlug } from '../../public/values/problems.ts';
import { json } from '../parts/answers.ts';
import type { Operation } from '../parts/operation.ts';
import { proposalsQuery } from '../parts/parameters.ts';
import { proposalPath, sessionPath } from '../parts/path-parameters.ts';
import { committedProposal, proposal, proposalWithChanges, rejectedProposal } from '../parts/proposal-examples.ts';
import { keySchemes } from '../parts/security.ts';

const tag = 'Proposals';
const security = keySchemes;
const known: readonly ProblemSlug[] = ['forbidden', 'not-found', 'session-ended', 'database-unavailable'];
const deciding: readonly ProblemSlug[] = [
  ...known,
  'proposal-conflict',
  'session-not-active',
  'session-paused',
  'session-starting',
  'sandbox-failed',
  'sandbox-unreachable',
  'world-unsettled',
];
/** Problems of putting the working copy back. */
const restoring: readonly ProblemSlug[] = [
  'outside-workspace',
  'path-conflict',
  'storage-unavailable',
  'workspace-full',
];

/** Changes of files that wait for the host, in sessions whose policy has `proposalMode`. */
export const proposalOperations: Operation[] = [
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/proposals',
    operationId: 'listProposals',
    tag,
    security,
    summary: 'List the proposals of a session, in the order in which they were made',
    params: sessionPath,
    query: proposalsQuery,
    answers: {
      200: json('A page of proposals, without their changes', page(proposalSchema), {
        items: [proposal],
        nextCursor: null,
      }),
    },
    problems: known,
  },
  {
    method: 'get',
    path: '/v1/sessions/{sessionId}/proposals/{proposalId}',
    operationId: 'getProposal',
    tag,
    security,
    summary: 'Read a proposal with its changes and their diffs',
    description:
      'A text file of up to 256 KiB and 10,000 lines has a unified diff, unless more than 1,000 lines differ. All diffs together have about 1 MiB. Other files are shown by digest and size.',
    params: proposalPath,
    answers: { 200: json('The proposal', proposalWithChangesSchema, proposalWithChanges) },
    problems: [...known, 'storage-unavailable'],
  },
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/proposals/{proposalId}/commit',
    operationId: 'commitProposal',
    tag,
    security,
    summary: 'Put changes of a proposal into the world',
    description:
      'Either all selected changes are committed, or none. An earlier proposal that changes the same paths must be decided first. A repeat succeeds. A paused session may be asked, too.',
    params: proposalPath,
    body: { schema: decideProposalSchema, example: { paths: ['report.md'] }, required: false },
    answers: { 200: json('The proposal as it is now', proposalSchema, committedProposal) },
    problems: deciding,
  },
  {
    method: 'post',
    path: '/v1/sessions/{sessionId}/proposals/{proposalId}/reject',
    operationId: 'rejectProposal',
    tag,
    security,
    summary: 'Reject changes of a proposal, and put the working copy back',
    description:
      'Files get the bytes and the permissions that they had before, links their targets, and what was not there is gone again. Open changes that later proposals made on top of rejected ones are rejected with them. A repeat succeeds. A paused session may be asked, too.',
    params: proposalPath,
    body: { schema: decideProposalSchema, example: {}, required: false },
    answers: { 200: json('The proposal as it is now', proposalSchema, rejectedProposal) },
    problems: [...deciding, ...restoring],
  },
];
