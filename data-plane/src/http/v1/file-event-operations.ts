import { type FileEvent, sessionIdSchema, watchFilesQuerySchema } from '@holdfast/specs/public';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { z } from 'zod';
import { admitCaller } from '../edge/authorize.ts';
import type { EdgeApp } from '../edge/edge.ts';
import { negotiate } from '../edge/negotiate.ts';
import { readRequest } from '../edge/read-request.ts';
import { type EventFormat, eventFormats } from './events/event-format.ts';
import type { SessionChunk } from './events/session-chunks.ts';
import { streamSession } from './events/stream-session.ts';
import type { V1 } from './verbs.ts';

const ofSession = z.object({ sessionId: sessionIdSchema });
const events = '/v1/sessions/:sessionId/files/events';

/** Registered before the files themselves: only a request with a `path` is a watch, any other is for a file called `events`. */
export function fileEventOperations(app: EdgeApp, edge: V1): void {
  const { verbs } = edge;

  app.get(events, async (c, next) => {
    if (c.req.query('path') === undefined) return await next();
    const operation = { method: c.req.method, path: events, sessionId: c.req.param('sessionId') };
    await admitCaller(edge, c, { scope: 'run', operation });
    const { path, query } = await readRequest(edge, c, { path: ofSession, query: watchFilesQuerySchema });
    const outgoing = c.env?.outgoing;
    if (!outgoing) throw new Error('events can only be streamed by a server');
    const format = eventFormats[negotiate(c.req.header('accept'), ['text/event-stream', 'application/x-ndjson'])];
    if (c.req.method === 'HEAD') return c.body(null, 200, { 'Content-Type': format.contentType });
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort());
    const watch = { caller: c.get('caller'), sessionId: path.sessionId, ...query, signal: gone.signal };
    const chunks = chunksOf(await verbs.watchFiles(watch), format);
    const { requestId, event } = c.var;
    event.sessionId = path.sessionId;
    await streamSession(edge, outgoing, { chunks, format, signal: gone.signal, requestId, event });
    return RESPONSE_ALREADY_SENT;
  });
}

async function* chunksOf(
  happenings: AsyncGenerator<FileEvent | 'quiet'>,
  { before, behind, heartbeat }: EventFormat,
): AsyncGenerator<SessionChunk, void, undefined> {
  for await (const happening of happenings) {
    const text = happening === 'quiet' ? heartbeat : before(happening) + JSON.stringify(happening) + behind;
    yield { text, isWhole: true };
  }
}
