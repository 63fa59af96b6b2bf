import {
  createFileLinkSchema,
  deleteFileQuerySchema,
  type FileLinkOperation,
  fileSignatureQuerySchema,
  fileUrl,
  listFilesQuerySchema,
  makeDirectorySchema,
  moveFileSchema,
  Problem,
  sessionIdSchema,
  statFileQuerySchema,
} from '@holdfast/specs/public';
import { z } from 'zod';
import type { Caller } from '../../sessions/caller.ts';
import { answerRelayed } from '../edge/answer-relayed.ts';
import { authorize } from '../edge/authorize.ts';
import type { EdgeApp, EdgeContext } from '../edge/edge.ts';
import { readRequest } from '../edge/read-request.ts';
import { isSigned, unlessSigned } from '../edge/signed-request.ts';
import { streamBody } from '../edge/stream-body.ts';
import { sandboxPathOf } from './file-path.ts';
import type { V1 } from './verbs.ts';

const ofSession = z.object({ sessionId: sessionIdSchema });
const files = '/v1/sessions/:sessionId/files';

/** Headers of a request that the agent answers (RFC 9110, 13 and 14; RFC 9530). */
const conditions = ['if-match', 'if-none-match'];
const forReading = [...conditions, 'if-range', 'range'];
const forWriting = [...conditions, 'content-digest'];

type AskedFile = {
  sessionId: string;
  path: string;
  operation: FileLinkOperation;
  query: z.infer<typeof fileSignatureQuerySchema>;
};

export function fileOperations(app: EdgeApp, edge: V1): void {
  const { verbs } = edge;
  const run = authorize(edge, 'run');
  const runOrSigned = unlessSigned(edge, run);

  /** The caller of a signed URL has only the rights to this file, and the edge has not admitted it. */
  async function callerOf(c: EdgeContext, { query, ...file }: AskedFile): Promise<Caller> {
    if (!isSigned(query)) return c.get('caller');
    const { operation = null, ...signature } = query;
    if (operation !== file.operation)
      throw new Problem('forbidden', { detail: 'the signed URL is for another operation' });
    return await verbs.openFileLink({ ...file, signature });
  }

  app.get(files, run, async (c) => {
    const { path, query } = await readRequest(edge, c, { path: ofSession, query: listFilesQuerySchema });
    return c.json(await verbs.listFiles({ caller: c.get('caller'), ...path, ...query }));
  });

  app.get('/v1/sessions/:sessionId/stat', run, async (c) => {
    const { path, query } = await readRequest(edge, c, { path: ofSession, query: statFileQuerySchema });
    return c.json(await verbs.statFile({ caller: c.get('caller'), ...path, ...query }));
  });

  app.post(`${files}/links`, run, async (c) => {
    const { path, body: request } = await readRequest(edge, c, { path: ofSession, body: createFileLinkSchema });
    return c.json(await verbs.createFileLink({ caller: c.get('caller'), ...path, request }));
  });

  app.get(`${files}/*`, runOrSigned, async (c) => {
    const { path, query } = await readRequest(edge, c, { path: ofSession, query: fileSignatureQuerySchema });
    const file = { ...path, path: sandboxPathOf(c) };
    const caller = await callerOf(c, { ...file, operation: 'read', query });
    const headers = sentHeaders(c, c.req.method === 'HEAD' ? conditions : forReading);
    return await answerRelayed(edge, c, (sink) => verbs.readFile({ caller, ...file, headers, ...sink }));
  });

  app.put(`${files}/*`, runOrSigned, async (c) => {
    const { path, query } = await readRequest(edge, c, {
      path: ofSession,
      query: fileSignatureQuerySchema,
      body: 'streamed',
    });
    const file = { ...path, path: sandboxPathOf(c) };
    const caller = await callerOf(c, { ...file, operation: 'write', query });
    const headers = sentHeaders(c, forWriting);
    const { isNew, ...written } = await verbs.putFile({ caller, ...file, headers, ...streamBody(edge, c) });
    const etag = { ETag: `"${written.sha256}"` };
    if (!isNew) return c.json(written, 200, etag);
    return c.json(written, 201, { ...etag, ...locationOf(fileUrl({ ...path, path: written.path })) });
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
    if (!isNew) return c.body(null, 204);
    const query = new URLSearchParams({ path: body.path });
    return c.json({ path: body.path }, 201, locationOf(`/v1/sessions/${path.sessionId}/files?${query}`));
  });
}

const locationBytesMax = 2048;

/** An encoded path can be so long that proxies refuse the answer; the body names the file anyway. */
const locationOf = (url: string): { Location?: string } => (url.length > locationBytesMax ? {} : { Location: url });

function sentHeaders(c: EdgeContext, names: readonly string[]): Record<string, string> {
  const sent = names.map((name) => [name, c.req.header(name)] as const);
  return Object.fromEntries(sent.filter((header): header is [string, string] => header[1] !== undefined));
}
