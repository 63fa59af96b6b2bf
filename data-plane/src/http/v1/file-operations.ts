import {
  deleteFileQuerySchema,
  listFilesQuerySchema,
  makeDirectorySchema,
  moveFileSchema,
  sessionIdSchema,
  statFileQuerySchema,
} from '@holdfast/specs/public';
import { z } from 'zod';
import { answerRelayed } from '../edge/answer-relayed.ts';
import { authorize } from '../edge/authorize.ts';
import type { EdgeApp, EdgeContext } from '../edge/edge.ts';
import { readRequest } from '../edge/read-request.ts';
import { streamBody } from '../edge/stream-body.ts';
import { sandboxPathOf } from './file-path.ts';
import type { V1 } from './verbs.ts';

const ofSession = z.object({ sessionId: sessionIdSchema });
const files = '/v1/sessions/:sessionId/files';

/** Headers of a request that the agent answers (RFC 9110, 13 and 14; RFC 9530). */
const conditions = ['if-match', 'if-none-match'];
const forReading = [...conditions, 'if-range', 'range'];
const forWriting = [...conditions, 'content-digest'];

export function fileOperations(app: EdgeApp, edge: V1): void {
  const { verbs } = edge;
  const run = authorize(edge, 'run');

  app.get(files, run, async (c) => {
    const { path, query } = await readRequest(edge, c, { path: ofSession, query: listFilesQuerySchema });
    return c.json(await verbs.listFiles({ caller: c.get('caller'), ...path, ...query }));
  });

  app.get('/v1/sessions/:sessionId/stat', run, async (c) => {
    const { path, query } = await readRequest(edge, c, { path: ofSession, query: statFileQuerySchema });
    return c.json(await verbs.statFile({ caller: c.get('caller'), ...path, ...query }));
  });

  app.get(`${files}/*`, run, async (c) => {
    const { path } = await readRequest(edge, c, { path: ofSession });
    const headers = sentHeaders(c, c.req.method === 'HEAD' ? conditions : forReading);
    const file = { caller: c.get('caller'), ...path, path: sandboxPathOf(c), headers };
    return await answerRelayed(edge, c, (sink) => verbs.readFile({ ...file, ...sink }));
  });

  app.put(`${files}/*`, run, async (c) => {
    const { path } = await readRequest(edge, c, { path: ofSession, body: 'streamed' });
    const file = { caller: c.get('caller'), ...path, path: sandboxPathOf(c), headers: sentHeaders(c, forWriting) };
    const { isNew, ...written } = await verbs.putFile({ ...file, ...streamBody(edge, c) });
    return c.json(written, isNew ? 201 : 200, { ETag: `"${written.sha256}"` });
  });

  app.delete(`${files}/*`, run, async (c) => {
    const { path, query } = await readRequest(edge, c, { path: ofSession, query: deleteFileQuerySchema });
    const file = { caller: c.get('caller'), ...path, path: sandboxPathOf(c), headers: sentHeaders(c, conditions) };
    await verbs.deleteFile({ ...file, ...query });
    return c.body(null, 204);
  });

  app.post('/v1/sessions/:sessionId/move', run, async (c) => {
    const { path, body: move } = await readRequest(edge, c, { path: ofSession, body: moveFileSchema });
    await verbs.moveFile({ caller: c.get('caller'), ...path, move });
    return c.body(null, 204);
  });

  app.post('/v1/sessions/:sessionId/directories', run, async (c) => {
    const { path, body } = await readRequest(edge, c, { path: ofSession, body: makeDirectorySchema });
    const { isNew } = await verbs.makeDirectory({ caller: c.get('caller'), ...path, ...body });
    return c.body(null, isNew ? 201 : 204);
  });
}

function sentHeaders(c: EdgeContext, names: readonly string[]): Record<string, string> {
  const sent = names.map((name) => [name, c.req.header(name)] as const);
  return Object.fromEntries(sent.filter((header): header is [string, string] => header[1] !== undefined));
}
