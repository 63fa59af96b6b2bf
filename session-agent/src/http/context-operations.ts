import { agentCreateContextSchema, policyRevisionHeader } from '@holdfast/specs/agent';
import { codeAtCursorSchema, faultWords, invalidRequest, parseCodeSchema } from '@holdfast/specs/public';
import type { Hono } from 'hono';
import * as z from 'zod';
import type { ContextSet } from '../contexts/context-set.ts';
import { contextIdOf } from './context-id-of.ts';
import type { Environment } from './listen.ts';
import { readJson, stepBodyBytesMax } from './read-json.ts';

/** Lists, creates, deletes, restarts and inspects the contexts of the session. */
export function contextOperations(app: Hono<Environment>, { contexts }: { contexts: ContextSet }): void {
  app.get('/v1/contexts', (c) => c.json({ contexts: contexts.list().map((context) => context.status()) }));

  app.get('/v1/languages', (c) => c.json({ languages: contexts.languages() }));

  app.post('/v1/contexts', async (c) => {
    const wanted = await readJson(c.env.incoming, agentCreateContextSchema);
    contexts.rules.assertRevision(c.req.header(policyRevisionHeader));
    const context = contexts.create(wanted);
    return c.json(context.status(), 201);
  });

  app.delete('/v1/contexts/:contextId', async (c) => {
    await contexts.delete(contextIdOf(c.req.param('contextId')));
    return c.body(null, 204);
  });

  app.post('/v1/contexts/:contextId/restart', async (c) => {
    const context = contexts.get(contextIdOf(c.req.param('contextId')));
    contexts.assertMayRun();
    await context.restart();
    return c.json(context.status());
  });

  app.get('/v1/contexts/:contextId/symbols', async (c) => {
    return c.json(await contexts.get(contextIdOf(c.req.param('contextId'))).symbols());
  });

  app.get('/v1/contexts/:contextId/background', (c) => {
    const context = contexts.get(contextIdOf(c.req.param('contextId')));
    return c.json(context.background(afterOf(c.req.query('after'))));
  });

  app.post('/v1/contexts/:contextId/complete', async (c) => {
    const context = contexts.get(contextIdOf(c.req.param('contextId')));
    return c.json(await context.complete(await readJson(c.env.incoming, codeAtCursorSchema, stepBodyBytesMax)));
  });

  app.post('/v1/contexts/:contextId/inspect', async (c) => {
    const context = contexts.get(contextIdOf(c.req.param('contextId')));
    return c.json(await context.inspect(await readJson(c.env.incoming, codeAtCursorSchema, stepBodyBytesMax)));
  });

  app.post('/v1/contexts/:contextId/parse', async (c) => {
    const context = contexts.get(contextIdOf(c.req.param('contextId')));
    const { code } = await readJson(c.env.incoming, parseCodeSchema, stepBodyBytesMax);
    return c.json(await context.parse(code));
  });
}

function afterOf(text: string | undefined): number {
  const parsed = z.coerce
    .number()
    .int()
    .min(0)
    .safeParse(text ?? '0', { error: faultWords });
  if (!parsed.success) throw invalidRequest(parsed.error, 'query/after');
  return parsed.data;
}
