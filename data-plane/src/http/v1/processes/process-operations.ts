import {
  listProcessesQuerySchema,
  processIdSchema,
  processQuerySchema,
  sessionIdSchema,
  startProcessSchema,
} from '@holdfast/specs/public';
import { z } from 'zod';
import { answerJson } from '../../edge/answer-json.ts';
import { authorize } from '../../edge/authorize.ts';
import { type EdgeApp, type EdgeContext, setAnswerHeader } from '../../edge/edge.ts';
import { leaving } from '../../edge/leaving.ts';
import { negotiate } from '../../edge/negotiate.ts';
import { idempotencyHeader, readRequest } from '../../edge/read-request.ts';
import { eventFormats } from '../events/event-format.ts';
import type { V1 } from '../verbs.ts';
import { answerLog } from './answer-log.ts';

const ofSession = z.object({ sessionId: sessionIdSchema });
const ofProcess = z.object({ sessionId: sessionIdSchema, processId: processIdSchema });

/** Processes: commands that run in the sandbox beside the kernels. */
export function processOperations(app: EdgeApp, edge: V1): void {
  const { verbs } = edge;
  const run = authorize(edge, 'run');

  app.post('/v1/sessions/:sessionId/processes', run, async (c) => {
    const { path, headers, body } = await readRequest(edge, c, {
      path: ofSession,
      headers: idempotencyHeader,
      body: startProcessSchema,
    });
    const caller = c.get('caller');
    const idempotencyKey = headers['idempotency-key'];
    const { id: processId } = await verbs.startProcess({ caller, ...path, request: body, idempotencyKey });
    const key = { caller, ...path, processId };
    setAnswerHeader(c, 'Location', `/v1/sessions/${path.sessionId}/processes/${processId}`);
    noteProcess(c, key);
    const type = negotiate(c.req.header('accept'), ['application/json', 'text/event-stream', 'application/x-ndjson']);
    if (type !== 'application/json') return await answerLog(edge, c, { key, after: 0, format: eventFormats[type] });
    const { waitSeconds } = body;
    const process = await verbs.getProcess({ ...key, waitSeconds, signal: leaving(c) });
    return answerJson(edge, c, process, waitSeconds === undefined ? 202 : 200);
  });

  app.get('/v1/sessions/:sessionId/processes', run, async (c) => {
    const { path, query } = await readRequest(edge, c, { path: ofSession, query: listProcessesQuerySchema });
    return c.json(await verbs.listProcesses({ caller: c.get('caller'), ...path, ...query }));
  });

  app.get('/v1/sessions/:sessionId/processes/:processId', run, async (c) => {
    const { path, query } = await readRequest(edge, c, { path: ofProcess, query: processQuerySchema });
    const key = { caller: c.get('caller'), ...path };
    noteProcess(c, key);
    return answerJson(edge, c, await verbs.getProcess({ ...key, ...query, signal: leaving(c) }));
  });
}

/** Adds the process to the request's event. */
export function noteProcess(c: EdgeContext, { sessionId, processId }: { sessionId: string; processId: string }): void {
  Object.assign(c.get('event'), { sessionId, processId });
}
