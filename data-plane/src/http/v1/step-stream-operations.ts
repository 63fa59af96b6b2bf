import { sessionIdSchema, stdinSchema, stepIdSchema } from '@holdfast/specs/public';
import { z } from 'zod';
import { authorize } from '../edge/authorize.ts';
import type { EdgeApp } from '../edge/edge.ts';
import { idempotencyHeader, readRequest } from '../edge/read-request.ts';
import { streamBytes } from '../edge/stream-bytes.ts';
import type { V1 } from './verbs.ts';

const ofStep = z.object({ sessionId: sessionIdSchema, stepId: stepIdSchema });
const ofStream = ofStep.extend({ stream: z.enum(['stdout', 'stderr']) });

export function stepStreamOperations(app: EdgeApp, edge: V1): void {
  const { verbs } = edge;
  const run = authorize(edge, 'run');

  app.post('/v1/sessions/:sessionId/steps/:stepId/stdin', run, async (c) => {
    const wanted = { path: ofStep, headers: idempotencyHeader, body: stdinSchema };
    const { path, headers, body: input } = await readRequest(edge, c, wanted);
    const idempotencyKey = headers['idempotency-key'];
    await verbs.sendStdin({ caller: c.get('caller'), ...path, input, idempotencyKey });
    return c.body(null, 204);
  });

  app.get('/v1/sessions/:sessionId/steps/:stepId/output/:stream', run, async (c) => {
    const { path } = await readRequest(edge, c, { path: ofStream });
    let isWhole = false;
    const onStart = (output: { isWhole: boolean }) => {
      isWhole = output.isWhole;
    };
    return streamBytes(edge, c, {
      head: () => ({
        status: 200,
        headers: {
          'Content-Type': 'application/octet-stream',
          'Holdfast-Output': isWhole ? 'whole' : 'beginning',
        },
      }),
      read: (sink) => verbs.readOutput({ caller: c.get('caller'), ...path, onStart, ...sink }),
    });
  });
}
