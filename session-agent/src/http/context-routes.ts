import { agentCreateContextSchema, contextIdSchema, invalidRequest } from '@holdfast/specs';
import type { Hono } from 'hono';
import type { ContextSet } from '../contexts/context-set.ts';
import type { Environment } from './environment.ts';
import { readJson } from './read-json.ts';

/** The contexts of the session. */
export function contextRoutes(app: Hono<Environment>, { contexts }: { contexts: ContextSet }): void {
  app.get('/v1/contexts', (c) => c.json({ contexts: contexts.list().map((context) => context.status()) }));

  app.post('/v1/contexts', async (c) => {
    const context = contexts.create(await readJson(c.env.incoming, agentCreateContextSchema));
    return c.json(context.status(), 201);
  });

  app.delete('/v1/contexts/:contextId', async (c) => {
    await contexts.delete(idOf(c.req.param('contextId')));
    return c.body(null, 204);
  });

  app.post('/v1/contexts/:contextId/restart', async (c) => {
    const context = contexts.get(idOf(c.req.param('contextId')));
    contexts.assertOpen();
    await context.restart();
    return c.json(context.status());
  });

  app.get('/v1/contexts/:contextId/symbols', async (c) => {
    return c.json(await contexts.get(idOf(c.req.param('contextId'))).symbols());
  });
}

function idOf(text: string): string {
  const parsed = contextIdSchema.safeParse(text);
  if (!parsed.success) throw invalidRequest(parsed.error, 'path/contextId');
  return parsed.data;
}
