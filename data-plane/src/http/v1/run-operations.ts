import { runJobQuerySchema, runJobSchema } from '@holdfast/specs/public';
import { authorize } from '../edge/authorize.ts';
import { type EdgeApp, setAnswerHeader } from '../edge/edge.ts';
import { negotiate } from '../edge/negotiate.ts';
import { idempotencyHeader, readRequest } from '../edge/read-request.ts';
import { answerStep, noteStep } from './answer-step.ts';
import { answerEvents } from './events/answer-events.ts';
import { eventFormats } from './events/event-format.ts';
import type { V1 } from './verbs.ts';

export function runOperations(app: EdgeApp, edge: V1): void {
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
    return answerStep(edge, c, {
      live,
      view: (step) => verbs.signJobUrls({ caller: c.get('caller'), step, ...query }),
    });
  });
}
