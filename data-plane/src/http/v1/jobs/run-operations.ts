import { runJobQuerySchema, runJobSchema } from '@holdfast/specs/public';
import { authorize } from '../../edge/authorize.ts';
import type { EdgeApp } from '../../edge/edge.ts';
import { idempotencyHeader, readRequest } from '../../edge/read-request.ts';
import type { V1 } from '../verbs.ts';
import { answerJob } from './answer-job.ts';

export function runOperations(app: EdgeApp, edge: V1): void {
  app.post('/v1/run', authorize(edge, 'run'), async (c) => {
    const wanted = { query: runJobQuerySchema, headers: idempotencyHeader, body: runJobSchema };
    const { query, headers, body: request } = await readRequest(edge, c, wanted);
    const idempotencyKey = headers['idempotency-key'];
    const live = await edge.verbs.runJob({ caller: c.get('caller'), request, idempotencyKey });
    return await answerJob(edge, c, { live, request, viewing: query });
  });
}
