import { openPortSchema, pageQuerySchema, portIdSchema, sessionIdSchema } from '@holdfast/specs/public';
import { z } from 'zod';
import { authorize } from '../../edge/authorize.ts';
import type { EdgeApp } from '../../edge/edge.ts';
import { idempotencyHeader, readRequest } from '../../edge/read-request.ts';
import type { V1 } from '../verbs.ts';

const ofSession = z.object({ sessionId: sessionIdSchema });
const ofPort = z.object({ sessionId: sessionIdSchema, portId: portIdSchema });

/** Opens ports of sandboxes to visitors. The visits themselves come under other host names: see `http/preview`. */
export function portOperations(app: EdgeApp, edge: V1): void {
  const { verbs } = edge;
  const run = authorize(edge, 'run');

  app.post('/v1/sessions/:sessionId/ports', run, async (c) => {
    const { path, headers, body } = await readRequest(edge, c, {
      path: ofSession,
      headers: idempotencyHeader,
      body: openPortSchema,
    });
    const asked = { ...path, request: body, idempotencyKey: headers['idempotency-key'] };
    const port = await verbs.openPort({ caller: c.get('caller'), ...asked, apiHost: c.req.header('host') });
    return c.json(port, 201, { Location: `/v1/sessions/${path.sessionId}/ports/${port.id}` });
  });

  app.get('/v1/sessions/:sessionId/ports', run, async (c) => {
    const { path, query } = await readRequest(edge, c, { path: ofSession, query: pageQuerySchema });
    const apiHost = c.req.header('host');
    return c.json(await verbs.listPorts({ caller: c.get('caller'), ...path, ...query, apiHost }));
  });

  app.delete('/v1/sessions/:sessionId/ports/:portId', run, async (c) => {
    const { path } = await readRequest(edge, c, { path: ofPort });
    await verbs.revokePort({ caller: c.get('caller'), ...path });
    return c.body(null, 204);
  });
}
