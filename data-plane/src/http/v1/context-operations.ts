import {
  backgroundQuerySchema,
  codeAtCursorSchema,
  contextIdSchema,
  createContextSchema,
  parseCodeSchema,
  sessionIdSchema,
} from '@holdfast/specs/public';
import { z } from 'zod';
import { authorize } from '../edge/authorize.ts';
import type { EdgeApp } from '../edge/edge.ts';
import { idempotencyHeader, readRequest } from '../edge/read-request.ts';
import type { V1 } from './verbs.ts';

const ofSession = z.object({ sessionId: sessionIdSchema });
const ofContext = z.object({ sessionId: sessionIdSchema, contextId: contextIdSchema });

export function contextOperations(app: EdgeApp, edge: V1): void {
  const { verbs } = edge;
  const run = authorize(edge, 'run');

  app.post('/v1/sessions/:sessionId/contexts', run, async (c) => {
    const { path, headers, body } = await readRequest(edge, c, {
      path: ofSession,
      headers: idempotencyHeader,
      body: createContextSchema,
    });
    const context = await verbs.createContext({
      caller: c.get('caller'),
      ...path,
      request: body,
      idempotencyKey: headers['idempotency-key'],
    });
    return c.json(context, 201, { Location: `/v1/sessions/${path.sessionId}/contexts/${context.id}` });
  });

  app.get('/v1/sessions/:sessionId/contexts', run, async (c) => {
    const { path } = await readRequest(edge, c, { path: ofSession });
    return c.json(await verbs.listContexts({ caller: c.get('caller'), ...path }));
  });

  app.delete('/v1/sessions/:sessionId/contexts/:contextId', run, async (c) => {
    const { path } = await readRequest(edge, c, { path: ofContext });
    await verbs.deleteContext({ caller: c.get('caller'), ...path });
    return c.body(null, 204);
  });

  app.post('/v1/sessions/:sessionId/contexts/:contextId/restart', run, async (c) => {
    const { path } = await readRequest(edge, c, { path: ofContext });
    return c.json(await verbs.restartContext({ caller: c.get('caller'), ...path }));
  });

  app.post('/v1/sessions/:sessionId/contexts/:contextId/complete', run, async (c) => {
    const { path, body: at } = await readRequest(edge, c, { path: ofContext, body: codeAtCursorSchema });
    return c.json(await verbs.completeCode({ caller: c.get('caller'), ...path, at }));
  });

  app.post('/v1/sessions/:sessionId/contexts/:contextId/inspect', run, async (c) => {
    const { path, body: at } = await readRequest(edge, c, { path: ofContext, body: codeAtCursorSchema });
    return c.json(await verbs.inspectCode({ caller: c.get('caller'), ...path, at }));
  });

  app.post('/v1/sessions/:sessionId/contexts/:contextId/parse', run, async (c) => {
    const { path, body } = await readRequest(edge, c, { path: ofContext, body: parseCodeSchema });
    return c.json(await verbs.parseCode({ caller: c.get('caller'), ...path, body }));
  });

  app.get('/v1/sessions/:sessionId/contexts/:contextId/background', run, async (c) => {
    const { path, query } = await readRequest(edge, c, { path: ofContext, query: backgroundQuerySchema });
    return c.json(await verbs.listBackground({ caller: c.get('caller'), ...path, after: query.after ?? 0 }));
  });
}
