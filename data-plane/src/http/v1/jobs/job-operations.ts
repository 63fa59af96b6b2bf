import {
  jobIdSchema,
  jobQuerySchema,
  listJobsQuerySchema,
  runJobQuerySchema,
  runSessionJobSchema,
  sessionIdSchema,
} from '@holdfast/specs/public';
import { z } from 'zod';
import { isLong } from '../../../reading/json-slices.ts';
import { answerJson } from '../../edge/answer-json.ts';
import { authorize } from '../../edge/authorize.ts';
import type { EdgeApp } from '../../edge/edge.ts';
import { idempotencyHeader, readRequest } from '../../edge/read-request.ts';
import { answerStep, noteStep } from '../answer-step.ts';
import type { V1 } from '../verbs.ts';
import { answerJob, jobAs } from './answer-job.ts';

const ofSession = z.object({ sessionId: sessionIdSchema });
const ofJob = z.object({ sessionId: sessionIdSchema, jobId: jobIdSchema });

/** The jobs of a session. */
export function jobOperations(app: EdgeApp, edge: V1): void {
  const { verbs } = edge;
  const run = authorize(edge, 'run');

  app.post('/v1/sessions/:sessionId/jobs', run, async (c) => {
    const wanted = { path: ofSession, query: runJobQuerySchema, headers: idempotencyHeader, body: runSessionJobSchema };
    const { path, query, headers, body } = await readRequest(edge, c, wanted);
    const request = { ...body, ...path };
    const live = await verbs.runJob({
      caller: c.get('caller'),
      request,
      idempotencyKey: headers['idempotency-key'],
    });
    return await answerJob(edge, c, { live, request, viewing: query });
  });

  app.get('/v1/sessions/:sessionId/jobs', run, async (c) => {
    const { path, query } = await readRequest(edge, c, { path: ofSession, query: listJobsQuerySchema });
    const { order, limit, cursor, ...viewing } = query;
    const listing = { caller: c.get('caller'), ...path, order, limit, cursor, view: jobAs(edge, c, viewing) };
    return await answerJson(edge, c, await verbs.listSteps({ ...listing, onlyJobs: true }));
  });

  app.get('/v1/sessions/:sessionId/jobs/:jobId', run, async (c) => {
    const { path, query } = await readRequest(edge, c, { path: ofJob, query: jobQuerySchema });
    const { waitSeconds, ...viewing } = query;
    const view = jobAs(edge, c, viewing);
    const key = { caller: c.get('caller'), sessionId: path.sessionId, stepId: path.jobId };
    const asItIs = () => verbs.getStep(key);
    if (waitSeconds) {
      const live = await verbs.followStep(key);
      noteStep(c, live);
      return await answerStep(edge, c, { live, limit: { waitMs: waitSeconds * 1000, otherwise: asItIs }, view });
    }
    const step = await asItIs();
    if (!isLong(step)) return await answerJson(edge, c, await view(step));
    return await answerJson(edge, c, { isLong: true, open: async (reader) => view(await step.open(reader)) });
  });
}
