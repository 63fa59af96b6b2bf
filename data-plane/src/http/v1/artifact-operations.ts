import {
  artifactIdSchema,
  artifactRoleSchema,
  artifactsQuerySchema,
  jobIdSchema,
  pageQuerySchema,
  sessionIdSchema,
  signatureQuerySchema,
  signedQuerySchema,
} from '@holdfast/specs/public';
import { z } from 'zod';
import type { Access } from '../../artifacts/admit-reader.ts';
import { answerContent } from '../edge/answer-content.ts';
import { authorize } from '../edge/authorize.ts';
import type { EdgeApp, EdgeContext } from '../edge/edge.ts';
import { readRequest } from '../edge/read-request.ts';
import { isSigned, unlessSigned } from '../edge/signed-request.ts';
import { filePathOf } from './file-path.ts';
import type { V1 } from './verbs.ts';

const ofSession = z.object({ sessionId: sessionIdSchema });
const ofArtifact = z.object({ sessionId: sessionIdSchema, artifactId: artifactIdSchema });
const ofJob = z.object({ sessionId: sessionIdSchema, jobId: jobIdSchema });
const listQuery = pageQuerySchema.extend(artifactsQuerySchema.shape);
const jobFileQuery = signatureQuerySchema.extend({ role: artifactRoleSchema.optional() });

export function artifactOperations(app: EdgeApp, edge: V1): void {
  const { verbs } = edge;
  const run = authorize(edge, 'run');
  const runOrSigned = unlessSigned(edge, run);

  app.get('/v1/sessions/:sessionId/artifacts', run, async (c) => {
    const { path, query } = await readRequest(edge, c, { path: ofSession, query: listQuery });
    return c.json(await verbs.listArtifacts({ caller: c.get('caller'), ...path, ...query }));
  });

  app.get('/v1/sessions/:sessionId/artifacts/:artifactId', run, async (c) => {
    const { path, query } = await readRequest(edge, c, { path: ofArtifact, query: signedQuerySchema.strict() });
    return c.json(await verbs.getArtifact({ caller: c.get('caller'), ...path, ...query }));
  });

  app.get('/v1/sessions/:sessionId/artifacts/:artifactId/content', runOrSigned, async (c) => {
    const { path, query } = await readRequest(edge, c, { path: ofArtifact, query: signatureQuerySchema.strict() });
    const content = await verbs.openArtifact({ access: accessOf(c, query), ...path });
    return await answerContent(edge, c, content);
  });

  app.get('/v1/artifacts/:sessionId/:jobId/*', runOrSigned, async (c) => {
    const { path, query } = await readRequest(edge, c, { path: ofJob, query: jobFileQuery.strict() });
    const file = { ...path, path: filePathOf(c), role: query.role };
    const content = await verbs.openJobFile({ access: accessOf(c, query), ...file });
    return await answerContent(edge, c, content);
  });
}

const accessOf = (c: EdgeContext, signature: z.infer<typeof signatureQuerySchema>): Access =>
  isSigned(signature) ? { signature } : { caller: c.get('caller') };
