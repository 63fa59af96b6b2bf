import { sessionIdSchema, usageSchema } from '@holdfast/specs/public';
import { z } from 'zod';
import { authorize } from '../../edge/authorize.ts';
import type { EdgeApp } from '../../edge/edge.ts';
import { idempotencyHeader, readRequest } from '../../edge/read-request.ts';
import type { V1 } from '../verbs.ts';

const ofSession = z.object({ sessionId: sessionIdSchema });

/** Charges budgets, which are made and changed with their sessions, and tells what a session has used. */
export function budgetOperations(app: EdgeApp, edge: V1): void {
  app.post('/v1/sessions/:sessionId/usage', authorize(edge, 'host'), async (c) => {
    const wanted = { path: ofSession, headers: idempotencyHeader, body: usageSchema };
    const { path, headers, body: usage } = await readRequest(edge, c, wanted);
    const idempotencyKey = headers['idempotency-key'];
    return c.json(await edge.verbs.reportUsage({ caller: c.get('caller'), ...path, usage, idempotencyKey }));
  });

  app.get('/v1/sessions/:sessionId/usage', authorize(edge, 'run'), async (c) => {
    const { path } = await readRequest(edge, c, { path: ofSession });
    return c.json(await edge.verbs.readUsage({ caller: c.get('caller'), ...path }));
  });
}
