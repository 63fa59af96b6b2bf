import { apiKeyIdSchema, createApiKeySchema, pageQuerySchema } from '@holdfast/specs/public';
import { z } from 'zod';
import { authorize } from '../edge/authorize.ts';
import type { EdgeApp } from '../edge/edge.ts';
import { idempotencyHeader, readRequest } from '../edge/read-request.ts';
import type { V1 } from './verbs.ts';

const ofKey = z.object({ keyId: apiKeyIdSchema });

export function apiKeyOperations(app: EdgeApp, edge: V1): void {
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
    return c.json(await verbs.listApiKeys(query));
  });

  app.delete('/v1/api-keys/:keyId', admin, async (c) => {
    const { path } = await readRequest(edge, c, { path: ofKey });
    await verbs.revokeApiKey({ caller: c.get('caller'), id: path.keyId });
    return c.body(null, 204);
  });
}
