import { followSessionQuerySchema, sessionCursorSchema, sessionIdSchema } from '@holdfast/specs/public';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { z } from 'zod';
import { authorize } from '../edge/authorize.ts';
import type { EdgeApp } from '../edge/edge.ts';
import { negotiate } from '../edge/negotiate.ts';
import { readRequest } from '../edge/read-request.ts';
import { eventFormats } from './events/event-format.ts';
import { sessionChunks } from './events/session-chunks.ts';
import { streamSession } from './events/stream-session.ts';
import type { V1 } from './verbs.ts';

const ofSession = z.object({ sessionId: sessionIdSchema });
const eventHeaders = z.object({ 'last-event-id': sessionCursorSchema.optional() });

export function sessionEventOperations(app: EdgeApp, edge: V1): void {
  const { verbs } = edge;

  app.get('/v1/sessions/:sessionId/events', authorize(edge, 'run', { tokenInQuery: true }), async (c) => {
    const { path, query, headers } = await readRequest(edge, c, {
      path: ofSession,
      query: followSessionQuerySchema,
      headers: eventHeaders,
    });
    const outgoing = c.env?.outgoing;
    if (!outgoing) throw new Error('events can only be streamed by a server');
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort());
    const { signal } = gone;
    const caller = c.get('caller');
    const ofHeader = headers['last-event-id'];
    const after = ofHeader ?? query.after;
    const pointer = ofHeader === undefined ? 'query/after' : 'header/last-event-id';
    const stream = await verbs.followSession({ caller, ...path, after, pointer, from: query.from, signal });
    const format = eventFormats[negotiate(c.req.header('accept'), ['text/event-stream', 'application/x-ndjson'])];
    c.get('event').sessionId = path.sessionId;
    // An EventSource does not come again.
    if (stream.isAtEnd && after !== undefined) return c.body(null, 204);
    if (c.req.method === 'HEAD') return c.body(null, 200, { 'Content-Type': format.contentType });
    const chunks = sessionChunks({
      ...path,
      stream,
      format,
      tenant: caller.tenant,
      quietMs: edge.heartbeatMs,
      isBrief: query.brief,
      signal,
    });
    const { requestId, event } = c.var;
    await streamSession(edge, outgoing, { chunks, format, signal, requestId, event });
    return RESPONSE_ALREADY_SENT;
  });
}
