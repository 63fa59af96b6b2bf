import { auditQuerySchema, type Page, sessionIdSchema, tenantAuditQuerySchema } from '@holdfast/specs/public';
import { z } from 'zod';
import { authorize } from '../../edge/authorize.ts';
import type { EdgeApp, EdgeContext } from '../../edge/edge.ts';
import { negotiate } from '../../edge/negotiate.ts';
import { readRequest } from '../../edge/read-request.ts';
import { streamBytes } from '../../edge/stream-bytes.ts';
import type { V1 } from '../verbs.ts';

const ofSession = z.object({ sessionId: sessionIdSchema });

/** The entries that an export reads at once. */
const pageEntries = 200;

/** The audit log of a session, and of what belongs to none. */
export function auditOperations(app: EdgeApp, edge: V1): void {
  const { verbs } = edge;
  const run = authorize(edge, 'run');

  app.get('/v1/audit', authorize(edge, 'host'), async (c) => {
    const { query } = await readRequest(edge, c, { query: tenantAuditQuerySchema });
    const caller = c.get('caller');
    return await answerEntries(edge, c, { query, list: (page) => verbs.listTenantAudit({ caller, ...page }) });
  });

  app.get('/v1/sessions/:sessionId/audit', run, async (c) => {
    const { path, query } = await readRequest(edge, c, { path: ofSession, query: auditQuerySchema });
    const caller = c.get('caller');
    return await answerEntries(edge, c, { query, list: (page) => verbs.listAudit({ caller, ...path, ...page }) });
  });

  app.get('/v1/sessions/:sessionId/audit/statistics', run, async (c) => {
    const { path } = await readRequest(edge, c, { path: ofSession });
    return c.json(await verbs.readAuditStatistics({ caller: c.get('caller'), ...path }));
  });
}

type Query = { limit: number; cursor?: string | undefined };
type Listing<Asked extends Query> = { query: Asked; list: (query: Asked) => Promise<Page<object>> };

/** A page of entries, or all of them as lines. */
async function answerEntries<Asked extends Query>(
  edge: V1,
  c: EdgeContext,
  { query, list }: Listing<Asked>,
): Promise<Response> {
  const type = negotiate(c.req.header('accept'), ['application/json', 'application/x-ndjson']);
  if (type === 'application/json') return c.json(await list(query));
  return await streamBytes(edge, c, {
    head: () => ({ status: 200, headers: { 'Content-Type': type } }),
    async read({ onChunk, signal }) {
      for (let cursor: string | null | undefined = query.cursor; cursor !== null && !signal.aborted; ) {
        const page = await list({ ...query, limit: pageEntries, cursor });
        await onChunk(Buffer.from(page.items.map((entry) => `${JSON.stringify(entry)}\n`).join('')));
        cursor = page.nextCursor;
      }
    },
  });
}
