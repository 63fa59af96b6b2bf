import { hash, randomBytes } from 'node:crypto';
import { type ApiKey, type CreateApiKey, type CreatedApiKey, newId } from '@holdfast/specs';
import type { Database } from '../registry/connect.ts';
import { insertApiKey } from '../registry/insert-api-key.ts';
import type { Caller } from '../sessions/caller.ts';
import { type IdempotencyDependencies, idempotently } from '../sessions/idempotently.ts';
import { apiKeyView } from './api-key-view.ts';

type CreateInput = { caller: Caller; request: CreateApiKey; idempotencyKey?: string };

/** Makes a key and tells it this once; only its SHA-256 is kept. */
export async function createApiKey(deps: IdempotencyDependencies, input: CreateInput): Promise<CreatedApiKey> {
  const { caller, request, idempotencyKey } = input;
  const first = {
    tenant: caller.tenant,
    key: idempotencyKey,
    request: ['create api key', request],
    newId: newId('key'),
  };
  return await idempotently(deps, first, async (id) => {
    const key = `hf_${randomBytes(32).toString('base64url')}`;
    return { ...(await addApiKey(deps.db, { id, key, ...request })), key };
  });
}

/** The first key, from configuration. The same key again is no error. */
export async function addApiKey(
  db: Database,
  { key, ...row }: CreateApiKey & { id: string; key: string },
): Promise<ApiKey> {
  const inserted = await insertApiKey(db, {
    ...row,
    scopes: [...new Set(row.scopes)],
    hash: hash('sha256', key, 'buffer'),
  });
  return inserted ? apiKeyView(inserted) : { ...row, createdAt: new Date().toISOString(), revokedAt: null };
}
