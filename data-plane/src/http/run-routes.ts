import { runJobQuerySchema, runJobSchema } from '@holdfast/specs';
import { answerEvents } from './answer-events.ts';
import { answerStep } from './answer-step.ts';
import { authorize } from './authorize.ts';
import { type Edge, type EdgeApp, setAnswerHeader } from './edge.ts';
import { eventFormats } from './event-format.ts';
import { negotiate } from './negotiate.ts';
import { noteStep } from './note-step.ts';
import { idempotencyHeader, readRequest } from './read-request.ts';

export function runRoutes(app: EdgeApp, edge: Edge): void {
  const { verbs } = edge;

  app.post('/v1/run', authorize(edge, 'run'), async (c) => {
    const { query, headers, body } = await readRequest(edge, c, {
      query: runJobQuerySchema,
      headers: idempotencyHeader,
      body: runJobSchema,
    });
    const live = await verbs.runJob({
      caller: c.get('caller'),
      request: body,
      idempotencyKey: headers['idempotency-key'],
    });
    const type = negotiate(c.req.header('accept'), ['application/json', 'text/event-stream', 'application/x-ndjson']);
    setAnswerHeader(c, 'Content-Location', `/v1/sessions/${live.sessionId}/steps/${live.id}`);
    noteStep(c, live);
    if (type !== 'application/json') return answerEvents(edge, c, { live, format: eventFormats[type], after: 0 });
    return answerStep(verbs, c, { live, view: (step) => verbs.viewJob({ step, ...query }) });
  });
}
