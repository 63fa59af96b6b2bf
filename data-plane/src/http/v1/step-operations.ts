import {
  eventSeqSchema,
  eventsQuerySchema,
  interruptSchema,
  listStepsQuerySchema,
  runStepQuerySchema,
  sessionIdSchema,
  stepIdSchema,
  stepQuerySchema,
} from '@holdfast/specs/public';
import { z } from 'zod';
import { answerJson } from '../edge/answer-json.ts';
import { authorize } from '../edge/authorize.ts';
import type { EdgeApp } from '../edge/edge.ts';
import { negotiate } from '../edge/negotiate.ts';
import { idempotencyHeader, readRequest } from '../edge/read-request.ts';
import { answerRunning, wantsEvents } from './answer-running.ts';
import { answerStep, noteStep } from './answer-step.ts';
import { answerEvents } from './events/answer-events.ts';
import { eventFormats } from './events/event-format.ts';
import { runStepBody } from './run-step-body.ts';
import type { V1 } from './verbs.ts';

const ofSession = z.object({ sessionId: sessionIdSchema });
const ofStep = z.object({ sessionId: sessionIdSchema, stepId: stepIdSchema });
const eventHeaders = z.object({ 'last-event-id': eventSeqSchema.optional() });

export function stepOperations(app: EdgeApp, edge: V1): void {
  const { verbs } = edge;
  const run = authorize(edge, 'run');
  const runOrToken = authorize(edge, 'run', { tokenInQuery: true });

  app.post('/v1/sessions/:sessionId/steps', run, async (c) => {
    const { path, query, headers, body } = await readRequest(edge, c, {
      path: ofSession,
      query: runStepQuerySchema,
      headers: idempotencyHeader,
      ...runStepBody,
    });
    const live = await verbs.runStep({
      caller: c.get('caller'),
      sessionId: path.sessionId,
      request: body,
      idempotencyKey: headers['idempotency-key'],
      isWatched: wantsEvents(c),
    });
    return answerRunning(edge, c, { live, request: body, isBrief: query.brief });
  });

  app.get('/v1/sessions/:sessionId/steps', run, async (c) => {
    const { path, query } = await readRequest(edge, c, { path: ofSession, query: listStepsQuerySchema });
    return answerJson(edge, c, await verbs.listSteps({ caller: c.get('caller'), ...path, ...query }));
  });

  app.get('/v1/sessions/:sessionId/steps/:stepId', run, async (c) => {
    const { path, query } = await readRequest(edge, c, { path: ofStep, query: stepQuerySchema });
    const key = { caller: c.get('caller'), ...path };
    const asItIs = () => verbs.getStep({ ...key, after: query.after });
    if (!query.waitSeconds) return answerJson(edge, c, await asItIs());
    const live = await verbs.followStep(key);
    noteStep(c, live);
    return answerStep(edge, c, {
      live,
      limit: { waitMs: query.waitSeconds * 1000, otherwise: asItIs, after: query.after },
    });
  });

  app.get('/v1/sessions/:sessionId/steps/:stepId/events', runOrToken, async (c) => {
    const { path, query, headers } = await readRequest(edge, c, {
      path: ofStep,
      query: eventsQuerySchema,
      headers: eventHeaders,
    });
    const live = await verbs.followStep({ caller: c.get('caller'), ...path });
    const type = negotiate(c.req.header('accept'), ['text/event-stream', 'application/x-ndjson']);
    noteStep(c, live);
    const after = headers['last-event-id'] ?? query.after ?? 0;
    return answerEvents(edge, c, { live, format: eventFormats[type], after, isBrief: query.brief });
  });

  app.post('/v1/sessions/:sessionId/steps/:stepId/interrupt', run, async (c) => {
    const { path, body: by } = await readRequest(edge, c, { path: ofStep, body: interruptSchema.prefault({}) });
    return answerJson(edge, c, await verbs.interruptStep({ caller: c.get('caller'), ...path, by }), 202);
  });
}
