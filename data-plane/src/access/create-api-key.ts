import { hash, randomBytes } from 'node:crypto';
import { type CreateApiKey, type CreatedApiKey, newId, Problem, type Scope } from '@holdfast/specs/public';
import { entryOf } from '../policy/audit/asked-by.ts';
import { storeApiKey } from '../registry/api-keys/store-api-key.ts';
import { storeConfiguredApiKey } from '../registry/api-keys/store-configured-api-key.ts';
import type { Database } from '../registry/connect.ts';
import type { Caller } from '../sessions/caller.ts';
import { type IdempotencyDependencies, idempotently } from '../sessions/idempotently.ts';
import { apiKeyView } from './list-api-keys.ts';

type CreateInput = { caller: Caller; request: CreateApiKey; idempotencyKey?: string };

/**
 * Creates a key and returns it this once; only its SHA-256 is stored. A repeat with the same `Idempotency-Key` gets the same key, but only if
 * the caller is the same: to anyone else it is a different request.
 */
export async function createApiKey(deps: IdempotencyDependencies, input: CreateInput): Promise<CreatedApiKey> {
  const { caller, request, idempotencyKey } = input;
  const first = {
    tenant: caller.tenant,
    key: idempotencyKey,
    request: ['create api key', caller.keyId, request],
    newId: newId('key'),
  };
  return await idempotently(deps, first, async (id) => {
    const key = `hf_${randomBytes(32).toString('base64url')}`;
    const { tenant, name, scopes } = request;
    const entry = { ...entryOf(caller, null, { operation: 'api-key.create', id, name, scopes }), tenant };
    const row = await storeApiKey(deps.db, { id, ...hashed({ key, ...request }) }, entry);
    if (!row) throw new Problem('not-found', { detail: `API key ${id} was revoked before it was returned` });
    return { ...apiKeyView(row), key };
  });
}

/** Stores the first key, from the configuration, and revokes the one that was configured before. The same key may come again. */
export async function addConfiguredApiKey(
  db: Database,
  { key, ...row }: CreateApiKey & { id: string; key: string },
): Promise<void> {
  await storeConfiguredApiKey(db, { ...row, ...hashed({ key, scopes: row.scopes }) });
}

const hashed = <Row extends { key: string; scopes: Scope[] }>({ key, ...row }: Row) => ({
  ...row,
  scopes: [...new Set(row.scopes)],
  hash: hash('sha256', key, 'buffer'),
});
