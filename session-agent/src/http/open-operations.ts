import { proofRequestSchema } from '@holdfast/specs/agent';
import type { Hono } from 'hono';
import type { Identity } from '../auth/create-identity.ts';
import type { Environment } from './environment.ts';
import { readJson } from './read-json.ts';

/** The routes that need no token: a caller asks them before it trusts this address with one. */
export function openOperations(app: Hono<Environment>, deps: { identity: Identity }): void {
  app.get('/healthz', (c) => c.json({ status: 'ok' }));

  app.post('/v1/proof', async (c) => {
    const { nonce } = await readJson(c.env.incoming, proofRequestSchema);
    return c.json(deps.identity.prove(nonce));
  });
}
