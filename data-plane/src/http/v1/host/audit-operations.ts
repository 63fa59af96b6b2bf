import { auditQuerySchema, sessionIdSchema } from '@holdfast/specs/public';
import { z } from 'zod';
import { authorize } from '../../edge/authorize.ts';
import type { EdgeApp } from '../../edge/edge.ts';
import { negotiate } from '../../edge/negotiate.ts';
import { readRequest } from '../../edge/read-request.ts';
import { streamBytes } from '../../edge/stream-bytes.ts';
import type { V1 } from '../verbs.ts';

const ofSession = z.object({ sessionId: sessionIdSchema });

/** The entries that an export reads at once. */
const pageEntries = 200;

/** The audit log of a session. */
export function auditOperations(app: EdgeApp, edge: V1): void {
  const { verbs } = edge;
  const run = authorize(edge, 'run');

  app.get('/v1/sessions/:sessionId/audit', run, async (c) => {
    const { path, query } = await readRequest(edge, c, { path: ofSession, query: auditQuerySchema });
    const request = { caller: c.get('caller'), ...path, ...query };
    const type = negotiate(c.req.header('accept'), ['application/json', 'application/x-ndjson']);
    if (type === 'application/json') return c.json(await verbs.listAudit(request));
    return await streamBytes(edge, c, {
      head: () => ({ status: 200, headers: { 'Content-Type': type } }),
      async read({ onChunk, signal }) {
        for (let cursor: string | null | undefined = query.cursor; cursor !== null && !signal.aborted; ) {
          const page = await verbs.listAudit({ ...request, limit: pageEntries, cursor });
          await onChunk(Buffer.from(page.items.map((entry) => `${JSON.stringify(entry)}\n`).join('')));
          cursor = page.nextCursor;
        }
      },
    });
  });

  app.get('/v1/sessions/:sessionId/audit/statistics', run, async (c) => {
    const { path } = await readRequest(edge, c, { path: ofSession });
    return c.json(await verbs.readAuditStatistics({ caller: c.get('caller'), ...path }));
  });
}
