import { Problem } from '@holdfast/specs/public';
import { revokeApiKey as revokeApiKeyRow } from '../registry/api-keys/revoke-api-key.ts';
import type { Database } from '../registry/connect.ts';
import type { Authenticate } from './authenticate.ts';

/** Revokes a key: this replica refuses it at once, other replicas do so within seconds. Throws Problem 404. */
export async function revokeApiKey(
  { db, authentication }: { db: Database; authentication: Pick<Authenticate, 'clear'> },
  { id }: { id: string },
): Promise<void> {
  const revoked = await revokeApiKeyRow(db, { id });
  authentication.clear();
  if (!revoked) throw new Problem('not-found', { detail: `API key ${id} does not exist` });
}
