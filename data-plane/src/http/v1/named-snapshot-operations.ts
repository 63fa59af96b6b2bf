import {
  nameSnapshotSchema,
  pageQuerySchema,
  sessionIdSchema,
  snapshotIdSchema,
  snapshotNameSchema,
} from '@holdfast/specs/public';
import { z } from 'zod';
import { answerJson } from '../edge/answer-json.ts';
import { authorize } from '../edge/authorize.ts';
import type { EdgeApp, EdgeContext } from '../edge/edge.ts';
import { idempotencyHeader, readRequest } from '../edge/read-request.ts';
import { streamBody } from '../edge/stream-body.ts';
import { streamBytes, untrustedContent } from '../edge/stream-bytes.ts';
import type { V1, Verbs } from './verbs.ts';

const ofName = z.object({ name: snapshotNameSchema });
const ofSnapshot = z.object({ sessionId: sessionIdSchema, snapshotId: snapshotIdSchema });

/** Snapshots with a name, and archives of snapshots, which move them between deployments. */
export function namedSnapshotOperations(app: EdgeApp, edge: V1): void {
  const { verbs } = edge;
  const run = authorize(edge, 'run');

  app.post('/v1/snapshots', run, async (c) => {
    const { headers, body } = await readRequest(edge, c, { headers: idempotencyHeader, body: nameSnapshotSchema });
    const idempotencyKey = headers['idempotency-key'];
    const snapshot = await verbs.nameSnapshot({ caller: c.get('caller'), request: body, idempotencyKey });
    return c.json(snapshot, 201, { Location: `/v1/snapshots/${snapshot.name}` });
  });

  app.get('/v1/snapshots', run, async (c) => {
    const { query } = await readRequest(edge, c, { query: pageQuerySchema });
    return c.json(await verbs.listNamedSnapshots({ caller: c.get('caller'), ...query }));
  });

  app.get('/v1/snapshots/:name', run, async (c) => {
    const { path } = await readRequest(edge, c, { path: ofName });
    return answerJson(edge, c, await verbs.getNamedSnapshot({ caller: c.get('caller'), ...path }));
  });

  app.delete('/v1/snapshots/:name', run, async (c) => {
    const { path } = await readRequest(edge, c, { path: ofName });
    await verbs.deleteNamedSnapshot({ caller: c.get('caller'), ...path });
    return c.body(null, 204);
  });

  app.get('/v1/snapshots/:name/archive', run, async (c) => {
    const { path } = await readRequest(edge, c, { path: ofName });
    return await answerTransfer(edge, c, await verbs.getNamedTransfer({ caller: c.get('caller'), ...path }));
  });

  app.get('/v1/sessions/:sessionId/snapshots/:snapshotId/archive', run, async (c) => {
    const { path } = await readRequest(edge, c, { path: ofSnapshot });
    return await answerTransfer(edge, c, await verbs.getTransfer({ caller: c.get('caller'), ...path }));
  });

  app.put('/v1/snapshots/:name/archive', run, async (c) => {
    const { path } = await readRequest(edge, c, { path: ofName, body: 'streamed' });
    const { body } = streamBody(edge, c);
    const snapshot = await verbs.putTransfer({ caller: c.get('caller'), ...path, body });
    return c.json(snapshot, 201, { Location: `/v1/snapshots/${snapshot.name}` });
  });
}

type Transfer = Awaited<ReturnType<Verbs['getTransfer']>>;

function answerTransfer(edge: V1, c: EdgeContext, { size, bytes }: Transfer): Promise<Response> {
  const headers = { 'Content-Type': 'application/octet-stream', 'Content-Length': `${size}`, ...untrustedContent };
  return streamBytes(edge, c, {
    head: () => ({ status: 200, headers }),
    async read({ onChunk, signal }) {
      for await (const chunk of bytes()) {
        await onChunk(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
        signal.throwIfAborted();
      }
    },
  });
}
