import { contextIdSchema, sendCommSchema, sessionIdSchema } from '@holdfast/specs/public';
import { z } from 'zod';
import { authorize } from '../edge/authorize.ts';
import type { EdgeApp } from '../edge/edge.ts';
import { idempotencyHeader, readRequest } from '../edge/read-request.ts';
import { answerRunning } from './answer-running.ts';
import type { V1 } from './verbs.ts';

const ofContext = z.object({ sessionId: sessionIdSchema, contextId: contextIdSchema });

/** Messages from front ends to the comms of a kernel. */
export function commOperations(app: EdgeApp, edge: V1): void {
  app.post('/v1/sessions/:sessionId/contexts/:contextId/comms', authorize(edge, 'run'), async (c) => {
    const { path, headers, body } = await readRequest(edge, c, {
      path: ofContext,
      headers: idempotencyHeader,
      body: sendCommSchema,
    });
    const live = await edge.verbs.sendComm({
      caller: c.get('caller'),
      ...path,
      request: body,
      idempotencyKey: headers['idempotency-key'],
    });
    return answerRunning(edge, c, { live });
  });
}
