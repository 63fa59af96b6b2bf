import { Problem } from '@holdfast/specs/public';
import { askedBy } from '../policy/audit/asked-by.ts';
import { revokeApiKey as revokeApiKeyRow } from '../registry/api-keys/revoke-api-key.ts';
import type { Database } from '../registry/connect.ts';
import type { Caller } from '../sessions/caller.ts';
import type { Authenticate } from './authenticate.ts';

/**
 * Revokes a key. This replica refuses it at once; within five seconds all replicas do, requests that came with it are ended, and URLs that
 * were signed for it stop working.
 * @throws Problem 404, or 409 if no other key has the scope `admin`: without one, keys can only be managed in the database
 */
export async function revokeApiKey(
  { db, authentication }: { db: Database; authentication: Pick<Authenticate, 'clear'> },
  { caller, id }: { caller: Caller; id: string },
): Promise<void> {
  const result = await revokeApiKeyRow(db, { id, change: askedBy(caller, 'api-key.revoke', { id }) });
  authentication.clear();
  if (result === 'not-found') throw new Problem('not-found', { detail: `API key ${id} does not exist` });
  if (result === 'last-admin') {
    throw new Problem('last-admin-key', { detail: 'create another key with the scope admin first' });
  }
}
