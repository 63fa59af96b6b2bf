import { decideProposalSchema, proposalIdSchema, proposalsQuerySchema, sessionIdSchema } from '@holdfast/specs/public';
import { z } from 'zod';
import { answerJson } from '../edge/answer-json.ts';
import { authorize } from '../edge/authorize.ts';
import type { EdgeApp } from '../edge/edge.ts';
import { readRequest } from '../edge/read-request.ts';
import type { V1 } from './verbs.ts';

const ofSession = z.object({ sessionId: sessionIdSchema });
const ofProposal = z.object({ sessionId: sessionIdSchema, proposalId: proposalIdSchema });
const decision = { path: ofProposal, body: decideProposalSchema.prefault({}) };

/**
 * Lists, shows, commits and rejects proposals. Steps and streams show that there are some, and their files can be read, so reading a
 * proposal takes no more than reading those. Deciding is for the host.
 */
export function proposalOperations(app: EdgeApp, edge: V1): void {
  const { verbs } = edge;
  const run = authorize(edge, 'run');
  const host = authorize(edge, 'host');

  app.get('/v1/sessions/:sessionId/proposals', run, async (c) => {
    const { path, query } = await readRequest(edge, c, { path: ofSession, query: proposalsQuerySchema });
    return answerJson(edge, c, await verbs.listProposals({ caller: c.get('caller'), ...path, ...query }));
  });

  app.get('/v1/sessions/:sessionId/proposals/:proposalId', run, async (c) => {
    const { path } = await readRequest(edge, c, { path: ofProposal });
    return answerJson(edge, c, await verbs.getProposal({ caller: c.get('caller'), ...path }));
  });

  app.post('/v1/sessions/:sessionId/proposals/:proposalId/commit', host, async (c) => {
    const { path, body } = await readRequest(edge, c, decision);
    return c.json(await verbs.commitProposal({ caller: c.get('caller'), ...path, ...body }));
  });

  app.post('/v1/sessions/:sessionId/proposals/:proposalId/reject', host, async (c) => {
    const { path, body } = await readRequest(edge, c, decision);
    return c.json(await verbs.rejectProposal({ caller: c.get('caller'), ...path, ...body }));
  });
}
