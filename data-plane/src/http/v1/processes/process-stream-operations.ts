import {
  processEventsHeaderSchema,
  processEventsQuerySchema,
  processIdSchema,
  processInputSchema,
  processOutputQuerySchema,
  sessionIdSchema,
  signalProcessSchema,
  terminalSizeSchema,
} from '@holdfast/specs/public';
import { z } from 'zod';
import { authorize } from '../../edge/authorize.ts';
import type { EdgeApp } from '../../edge/edge.ts';
import { negotiate } from '../../edge/negotiate.ts';
import { readRequest } from '../../edge/read-request.ts';
import { streamBytes } from '../../edge/stream-bytes.ts';
import { eventFormats } from '../events/event-format.ts';
import type { V1 } from '../verbs.ts';
import { answerLog } from './answer-log.ts';
import { noteProcess } from './process-operations.ts';

const ofProcess = z.object({ sessionId: sessionIdSchema, processId: processIdSchema });
const ofStream = ofProcess.extend({ stream: z.enum(['stdout', 'stderr']) });
const eventHeaders = z.object({ 'last-event-id': processEventsHeaderSchema });
const process = '/v1/sessions/:sessionId/processes/:processId';

/** Everything that comes from a process and goes to it. */
export function processStreamOperations(app: EdgeApp, edge: V1): void {
  const { verbs } = edge;
  const run = authorize(edge, 'run');

  app.get(`${process}/events`, authorize(edge, 'run', { tokenInQuery: true }), async (c) => {
    const { path, query, headers } = await readRequest(edge, c, {
      path: ofProcess,
      query: processEventsQuerySchema,
      headers: eventHeaders,
    });
    const key = { caller: c.get('caller'), ...path };
    const format = eventFormats[negotiate(c.req.header('accept'), ['text/event-stream', 'application/x-ndjson'])];
    noteProcess(c, key);
    return await answerLog(edge, c, { key, format, after: headers['last-event-id'] ?? query.after ?? 0 });
  });

  app.get(`${process}/output/:stream`, run, async (c) => {
    const { path, query } = await readRequest(edge, c, { path: ofStream, query: processOutputQuerySchema });
    let offset = query.offset;
    const onStart = (first: number) => {
      offset = first;
    };
    return await streamBytes(edge, c, {
      head: () => ({
        status: 200,
        headers: { 'Content-Type': 'application/octet-stream', 'Holdfast-Offset': String(offset) },
      }),
      read: (sink) => verbs.readProcessOutput({ caller: c.get('caller'), ...path, ...query, onStart, ...sink }),
    });
  });

  app.post(`${process}/stdin`, run, async (c) => {
    const { path, body: input } = await readRequest(edge, c, { path: ofProcess, body: processInputSchema });
    return c.json(await verbs.sendProcessInput({ caller: c.get('caller'), ...path, input }));
  });

  app.post(`${process}/signal`, run, async (c) => {
    const { path, body: request } = await readRequest(edge, c, {
      path: ofProcess,
      body: signalProcessSchema.prefault({}),
    });
    await verbs.signalProcess({ caller: c.get('caller'), ...path, request });
    return c.body(null, 204);
  });

  app.post(`${process}/terminal`, run, async (c) => {
    const { path, body: size } = await readRequest(edge, c, { path: ofProcess, body: terminalSizeSchema });
    await verbs.resizeTerminal({ caller: c.get('caller'), ...path, size });
    return c.body(null, 204);
  });
}
