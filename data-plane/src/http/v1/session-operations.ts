import {
  createSessionSchema,
  listSessionsQuerySchema,
  sessionIdSchema,
  updateSessionSchema,
} from '@holdfast/specs/public';
import { z } from 'zod';
import { answerJson } from '../edge/answer-json.ts';
import { authorize } from '../edge/authorize.ts';
import type { EdgeApp } from '../edge/edge.ts';
import { leaving } from '../edge/leaving.ts';
import { idempotencyHeader, readRequest } from '../edge/read-request.ts';
import type { V1 } from './verbs.ts';

const ofSession = z.object({ sessionId: sessionIdSchema });

export function sessionOperations(app: EdgeApp, edge: V1): void {
  const { verbs } = edge;
  const run = authorize(edge, 'run');

  app.post('/v1/sessions', run, async (c) => {
    const { headers, body } = await readRequest(edge, c, {
      headers: idempotencyHeader,
      body: createSessionSchema.prefault({}),
    });
    const { existed, ...session } = await verbs.createSession({
      caller: c.get('caller'),
      request: body,
      idempotencyKey: headers['idempotency-key'],
      ...(body.clientKey && { signal: leaving(c) }),
    });
    c.get('event').sessionId = session.id;
    return c.json(session, existed ? 200 : 201, { Location: `/v1/sessions/${session.id}` });
  });

  app.get('/v1/sessions', run, async (c) => {
    const { query } = await readRequest(edge, c, { query: listSessionsQuerySchema });
    const { status: statuses, metadata, ...filter } = query;
    const page = await verbs.listSessions({
      caller: c.get('caller'),
      ...filter,
      statuses,
      metadata: metadata && Object.fromEntries(metadata.map(splitPair)),
    });
    return c.json(page);
  });

  app.get('/v1/sessions/:sessionId', run, async (c) => {
    const { path } = await readRequest(edge, c, { path: ofSession });
    return c.json(await verbs.getSession({ caller: c.get('caller'), id: path.sessionId }));
  });

  app.patch('/v1/sessions/:sessionId', run, async (c) => {
    const { path, body: patch } = await readRequest(edge, c, { path: ofSession, body: updateSessionSchema });
    return c.json(await verbs.updateSession({ caller: c.get('caller'), id: path.sessionId, patch }));
  });

  app.delete('/v1/sessions/:sessionId', run, async (c) => {
    const { path } = await readRequest(edge, c, { path: ofSession });
    const state = await verbs.deleteSession({ caller: c.get('caller'), id: path.sessionId });
    return c.body(null, state === 'gone' ? 204 : 202);
  });

  app.post('/v1/sessions/:sessionId/complete', run, async (c) => {
    const { path } = await readRequest(edge, c, { path: ofSession });
    return c.json(await verbs.endSession({ caller: c.get('caller'), id: path.sessionId, to: 'completed' }));
  });

  app.post('/v1/sessions/:sessionId/abort', run, async (c) => {
    const { path } = await readRequest(edge, c, { path: ofSession });
    return c.json(await verbs.endSession({ caller: c.get('caller'), id: path.sessionId, to: 'aborted' }));
  });

  app.get('/v1/sessions/:sessionId/context', run, async (c) => {
    const { path } = await readRequest(edge, c, { path: ofSession });
    return answerJson(edge, c, await verbs.getSessionContext({ caller: c.get('caller'), ...path }));
  });
}

function splitPair(pair: string): [string, string] {
  const colon = pair.indexOf(':');
  return [pair.slice(0, colon), pair.slice(colon + 1)];
}
