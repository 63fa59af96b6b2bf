import {
  artifactIdSchema,
  artifactRoleSchema,
  artifactsQuerySchema,
  jobIdSchema,
  pageQuerySchema,
  sessionIdSchema,
  signatureQuerySchema,
  signedQuerySchema,
} from '@holdfast/specs';
import type { MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { answerContent } from './answer-content.ts';
import { authorize } from './authorize.ts';
import type { Edge, EdgeApp, EdgeContext, EdgeEnv } from './edge.ts';
import { filePathOf } from './file-path.ts';
import { readRequest } from './read-request.ts';
import type { Access } from './verbs.ts';

const ofSession = z.object({ sessionId: sessionIdSchema });
const ofArtifact = z.object({ sessionId: sessionIdSchema, artifactId: artifactIdSchema });
const ofJob = z.object({ sessionId: sessionIdSchema, jobId: jobIdSchema });
const listQuery = pageQuerySchema.extend(artifactsQuerySchema.shape);
const jobFileQuery = signatureQuerySchema.extend({ role: artifactRoleSchema.optional() });

export function artifactRoutes(app: EdgeApp, edge: Edge): void {
  const { verbs } = edge;
  const run = authorize(edge, 'run');
  const runOrSigned = unlessSigned(run);

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

/** A signature stands for an API key; whether it is one is for the verb to say. */
const unlessSigned =
  (authorized: MiddlewareHandler<EdgeEnv>): MiddlewareHandler<EdgeEnv> =>
  (c, next) =>
    isSigned(c.req.query()) ? next() : authorized(c, next);

const isSigned = (query: { expires?: unknown; signature?: unknown }) =>
  query.expires !== undefined || query.signature !== undefined;

const accessOf = (c: EdgeContext, signature: z.infer<typeof signatureQuerySchema>): Access =>
  isSigned(signature) ? { signature } : { caller: c.get('caller') };
