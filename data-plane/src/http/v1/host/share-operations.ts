import { createShareSchema, pageQuerySchema, sessionIdSchema, shareIdSchema } from '@holdfast/specs/public';
import { z } from 'zod';
import { authorize } from '../../edge/authorize.ts';
import type { EdgeApp } from '../../edge/edge.ts';
import { idempotencyHeader, readRequest } from '../../edge/read-request.ts';
import type { V1 } from '../verbs.ts';

const ofSession = z.object({ sessionId: sessionIdSchema });
const ofShare = z.object({ sessionId: sessionIdSchema, shareId: shareIdSchema });

/** The host decides who may join, so these need the scope `host`. */
export function shareOperations(app: EdgeApp, edge: V1): void {
  const { verbs } = edge;
  const host = authorize(edge, 'host');

  app.post('/v1/sessions/:sessionId/shares', host, async (c) => {
    const { path, headers, body } = await readRequest(edge, c, {
      path: ofSession,
      headers: idempotencyHeader,
      body: createShareSchema,
    });
    const idempotencyKey = headers['idempotency-key'];
    const share = await verbs.createShare({ caller: c.get('caller'), ...path, request: body, idempotencyKey });
    return c.json(share, 201, { Location: `/v1/sessions/${path.sessionId}/shares/${share.id}` });
  });

  app.get('/v1/sessions/:sessionId/shares', host, async (c) => {
    const { path, query } = await readRequest(edge, c, { path: ofSession, query: pageQuerySchema });
    return c.json(await verbs.listShares({ caller: c.get('caller'), ...path, ...query }));
  });

  app.delete('/v1/sessions/:sessionId/shares/:shareId', host, async (c) => {
    const { path } = await readRequest(edge, c, { path: ofShare });
    await verbs.revokeShare({ caller: c.get('caller'), ...path });
    return c.body(null, 204);
  });
}
