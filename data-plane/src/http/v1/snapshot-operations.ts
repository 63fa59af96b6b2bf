import {
  createSnapshotSchema,
  forkSchema,
  restoreSchema,
  sessionIdSchema,
  snapshotIdSchema,
} from '@holdfast/specs/public';
import { z } from 'zod';
import { answerJson } from '../edge/answer-json.ts';
import { authorize } from '../edge/authorize.ts';
import type { EdgeApp } from '../edge/edge.ts';
import { idempotencyHeader, readRequest } from '../edge/read-request.ts';
import type { V1 } from './verbs.ts';

const ofSession = z.object({ sessionId: sessionIdSchema });
const ofSnapshot = z.object({ sessionId: sessionIdSchema, snapshotId: snapshotIdSchema });

/** Takes, lists, deletes and restores snapshots of contexts, and forks sessions. */
export function snapshotOperations(app: EdgeApp, edge: V1): void {
  const { verbs } = edge;
  const run = authorize(edge, 'run');

  app.post('/v1/sessions/:sessionId/snapshots', run, async (c) => {
    const { path, body } = await readRequest(edge, c, { path: ofSession, body: createSnapshotSchema.prefault({}) });
    const snapshot = await verbs.createSnapshot({ caller: c.get('caller'), ...path, request: body });
    return c.json(snapshot, 201, { Location: `/v1/sessions/${path.sessionId}/snapshots/${snapshot.id}` });
  });

  app.get('/v1/sessions/:sessionId/snapshots', run, async (c) => {
    const { path } = await readRequest(edge, c, { path: ofSession });
    return answerJson(edge, c, await verbs.listSnapshots({ caller: c.get('caller'), ...path }));
  });

  app.delete('/v1/sessions/:sessionId/snapshots/:snapshotId', run, async (c) => {
    const { path } = await readRequest(edge, c, { path: ofSnapshot });
    await verbs.deleteSnapshot({ caller: c.get('caller'), ...path });
    return c.body(null, 204);
  });

  app.post('/v1/sessions/:sessionId/restore', run, async (c) => {
    const { path, body } = await readRequest(edge, c, { path: ofSession, body: restoreSchema });
    return answerJson(edge, c, await verbs.restoreSnapshot({ caller: c.get('caller'), ...path, ...body }));
  });

  app.post('/v1/sessions/:sessionId/fork', run, async (c) => {
    const shape = { path: ofSession, headers: idempotencyHeader, body: forkSchema.prefault({}) };
    const { path, headers, body: request } = await readRequest(edge, c, shape);
    const idempotencyKey = headers['idempotency-key'];
    const forks = await verbs.forkSession({ caller: c.get('caller'), ...path, request, idempotencyKey });
    return c.json(forks, 201, { Location: `/v1/sessions/${forks.items[0]?.id}` });
  });
}
