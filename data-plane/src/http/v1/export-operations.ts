import { exportQuerySchema, sessionIdSchema } from '@holdfast/specs/public';
import { z } from 'zod';
import { answerJson, inChunks } from '../edge/answer-json.ts';
import { authorize } from '../edge/authorize.ts';
import type { EdgeApp } from '../edge/edge.ts';
import { readRequest } from '../edge/read-request.ts';
import { streamBytes } from '../edge/stream-bytes.ts';
import type { V1 } from './verbs.ts';

const ofSession = z.object({ sessionId: sessionIdSchema });

/** The history of a context as a file for other tools. */
export function exportOperations(app: EdgeApp, edge: V1): void {
  app.get('/v1/sessions/:sessionId/export', authorize(edge, 'run'), async (c) => {
    const { path, query } = await readRequest(edge, c, { path: ofSession, query: exportQuerySchema });
    const caller = c.get('caller');
    const exported = await edge.verbs.exportContext({ caller, ...path, ...query });
    if ('isLong' in exported) return await answerJson(edge, c, exported);
    return await streamBytes(edge, c, {
      head: () => ({ status: 200, headers: { 'Content-Type': 'text/plain; charset=utf-8' } }),
      async read({ onChunk, signal }) {
        for await (const chunk of inChunks(exported.script({ tenant: caller.tenant, signal }))) await onChunk(chunk);
      },
    });
  });
}
