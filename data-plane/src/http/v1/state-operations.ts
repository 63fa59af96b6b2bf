import { pauseSchema, recoverSchema, sessionIdSchema } from '@holdfast/specs/public';
import { z } from 'zod';
import { answerJson } from '../edge/answer-json.ts';
import { authorize } from '../edge/authorize.ts';
import type { EdgeApp } from '../edge/edge.ts';
import { readRequest } from '../edge/read-request.ts';
import type { V1 } from './verbs.ts';

const ofSession = z.object({ sessionId: sessionIdSchema });

/** Recovers, pauses and resumes sessions. */
export function stateOperations(app: EdgeApp, edge: V1): void {
  const { verbs } = edge;
  const run = authorize(edge, 'run');
  const admin = authorize(edge, 'admin');

  app.post('/v1/sessions/:sessionId/recover', run, async (c) => {
    const { path, body } = await readRequest(edge, c, { path: ofSession, body: recoverSchema.prefault({}) });
    return c.json(await verbs.recoverSession({ caller: c.get('caller'), id: path.sessionId, ...body }));
  });

  app.post('/v1/sessions/:sessionId/pause', run, async (c) => {
    const { path, body } = await readRequest(edge, c, { path: ofSession, body: pauseSchema.prefault({}) });
    return answerJson(edge, c, await verbs.pauseSession({ caller: c.get('caller'), id: path.sessionId, ...body }));
  });

  app.post('/v1/admin/sessions/:sessionId/move', admin, async (c) => {
    const { path, body } = await readRequest(edge, c, { path: ofSession, body: pauseSchema.prefault({}) });
    return answerJson(edge, c, await verbs.moveSession({ caller: c.get('caller'), id: path.sessionId, ...body }));
  });

  app.post('/v1/sessions/:sessionId/resume', run, async (c) => {
    const { path } = await readRequest(edge, c, { path: ofSession });
    return c.json(await verbs.resumeSession({ caller: c.get('caller'), id: path.sessionId }));
  });
}
