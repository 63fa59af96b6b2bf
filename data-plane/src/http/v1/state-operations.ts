import {
  createSnapshotSchema,
  pauseSchema,
  recoverSchema,
  restoreSchema,
  sessionIdSchema,
} from '@holdfast/specs/public';
import { z } from 'zod';
import { answerJson } from '../edge/answer-json.ts';
import { authorize } from '../edge/authorize.ts';
import type { EdgeApp } from '../edge/edge.ts';
import { readRequest } from '../edge/read-request.ts';
import type { V1 } from './verbs.ts';

const ofSession = z.object({ sessionId: sessionIdSchema });

/** Recovers, pauses and resumes sessions; takes, lists and restores snapshots of their contexts. */
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
    return answerJson(edge, c, await verbs.moveSession({ id: path.sessionId, ...body }));
  });

  app.post('/v1/sessions/:sessionId/resume', run, async (c) => {
    const { path } = await readRequest(edge, c, { path: ofSession });
    return c.json(await verbs.resumeSession({ caller: c.get('caller'), id: path.sessionId }));
  });

  app.post('/v1/sessions/:sessionId/snapshots', run, async (c) => {
    const { path, body } = await readRequest(edge, c, { path: ofSession, body: createSnapshotSchema.prefault({}) });
    const snapshot = await verbs.createSnapshot({ caller: c.get('caller'), ...path, request: body });
    return c.json(snapshot, 201);
  });

  app.get('/v1/sessions/:sessionId/snapshots', run, async (c) => {
    const { path } = await readRequest(edge, c, { path: ofSession });
    return answerJson(edge, c, await verbs.listSnapshots({ caller: c.get('caller'), ...path }));
  });

  app.post('/v1/sessions/:sessionId/restore', run, async (c) => {
    const { path, body } = await readRequest(edge, c, { path: ofSession, body: restoreSchema });
    return answerJson(edge, c, await verbs.restoreSnapshot({ caller: c.get('caller'), ...path, ...body }));
  });
}
