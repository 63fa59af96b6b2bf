import {
  operationIdSchema,
  operationResultSchema,
  operationsQuerySchema,
  sessionIdSchema,
} from '@holdfast/specs/public';
import { z } from 'zod';
import { answerJson } from '../../edge/answer-json.ts';
import { authorize } from '../../edge/authorize.ts';
import type { EdgeApp } from '../../edge/edge.ts';
import { readRequest } from '../../edge/read-request.ts';
import type { V1 } from '../verbs.ts';

const ofSession = z.object({ sessionId: sessionIdSchema });
const ofOperation = z.object({ sessionId: sessionIdSchema, operationId: operationIdSchema });

/** The operations that the code of steps calls and the host answers. */
export function calledOperations(app: EdgeApp, edge: V1): void {
  const { verbs } = edge;
  const host = authorize(edge, 'host');

  app.get('/v1/sessions/:sessionId/operations', host, async (c) => {
    const { path, query } = await readRequest(edge, c, { path: ofSession, query: operationsQuerySchema });
    return answerJson(edge, c, await verbs.listOperations({ caller: c.get('caller'), ...path, ...query }));
  });

  app.post('/v1/sessions/:sessionId/operations/:operationId/result', host, async (c) => {
    const shape = { path: ofOperation, body: operationResultSchema, isExact: true };
    const { path, body: result } = await readRequest(edge, c, shape);
    return answerJson(edge, c, await verbs.answerOperation({ caller: c.get('caller'), ...path, result }));
  });
}
