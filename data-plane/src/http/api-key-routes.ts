import { apiKeyIdSchema, createApiKeySchema, pageQuerySchema } from '@holdfast/specs';
import { z } from 'zod';
import { authorize } from './authorize.ts';
import type { Edge, EdgeApp } from './edge.ts';
import { idempotencyHeader, readRequest } from './read-request.ts';

const ofKey = z.object({ keyId: apiKeyIdSchema });

export function apiKeyRoutes(app: EdgeApp, edge: Edge): void {
  const { verbs } = edge;
  const admin = authorize(edge, 'admin');

  app.post('/v1/api-keys', admin, async (c) => {
    const { headers, body } = await readRequest(edge, c, { headers: idempotencyHeader, body: createApiKeySchema });
    const key = await verbs.createApiKey({
      caller: c.get('caller'),
      request: body,
      idempotencyKey: headers['idempotency-key'],
    });
    return c.json(key, 201, { Location: `/v1/api-keys/${key.id}` });
  });

  app.get('/v1/api-keys', admin, async (c) => {
    const { query } = await readRequest(edge, c, { query: pageQuerySchema });
    return c.json(await verbs.listApiKeys({ caller: c.get('caller'), ...query }));
  });

  app.delete('/v1/api-keys/:keyId', admin, async (c) => {
    const { path } = await readRequest(edge, c, { path: ofKey });
    await verbs.revokeApiKey({ caller: c.get('caller'), id: path.keyId });
    return c.body(null, 204);
  });
}
