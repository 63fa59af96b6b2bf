import { proofRequestSchema } from '@holdfast/specs/agent';
import type { Hono } from 'hono';
import type { Identity } from '../auth/create-identity.ts';
import type { Environment } from './listen.ts';
import { readJson } from './read-json.ts';

/** The operations without a token: a caller uses them before it trusts this address with its token. */
export function openOperations(app: Hono<Environment>, deps: { identity: Identity }): void {
  app.get('/healthz', (c) => c.json({ status: 'ok' }));

  app.post('/v1/proof', async (c) => {
    const { nonce } = await readJson(c.env.incoming, proofRequestSchema);
    return c.json(deps.identity.prove(nonce));
  });
}
