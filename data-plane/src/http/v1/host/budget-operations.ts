import { sessionIdSchema, usageSchema } from '@holdfast/specs/public';
import { z } from 'zod';
import { authorize } from '../../edge/authorize.ts';
import type { EdgeApp } from '../../edge/edge.ts';
import { idempotencyHeader, readRequest } from '../../edge/read-request.ts';
import type { V1 } from '../verbs.ts';

const ofSession = z.object({ sessionId: sessionIdSchema });

/** Charges budgets. They are made and changed with their sessions. */
export function budgetOperations(app: EdgeApp, edge: V1): void {
  app.post('/v1/sessions/:sessionId/usage', authorize(edge, 'host'), async (c) => {
    const wanted = { path: ofSession, headers: idempotencyHeader, body: usageSchema };
    const { path, headers, body: usage } = await readRequest(edge, c, wanted);
    const idempotencyKey = headers['idempotency-key'];
    return c.json(await edge.verbs.reportUsage({ caller: c.get('caller'), ...path, usage, idempotencyKey }));
  });
}
