import { pageQuerySchema, sessionIdSchema } from '@holdfast/specs/public';
import { z } from 'zod';
import { authorize } from '../../edge/authorize.ts';
import type { EdgeApp } from '../../edge/edge.ts';
import { readRequest } from '../../edge/read-request.ts';
import type { V1 } from '../verbs.ts';

const ofSession = z.object({ sessionId: sessionIdSchema });

/** Tells what became of the deliveries to webhooks, which are made and changed with their sessions. */
export function webhookOperations(app: EdgeApp, edge: V1): void {
  app.get('/v1/sessions/:sessionId/webhooks/deliveries', authorize(edge, 'run'), async (c) => {
    const { path, query } = await readRequest(edge, c, { path: ofSession, query: pageQuerySchema });
    return c.json(await edge.verbs.listDeliveries({ caller: c.get('caller'), ...path, ...query }));
  });
}
