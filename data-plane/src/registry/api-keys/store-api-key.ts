import { isNull } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { type ApiKeyRow, apiKeys } from '../schema/api-keys.ts';
import { hashPrefix } from './find-api-key-by-hash.ts';

/** Stores the key. A key that already has this id gets the new hash, because its own was never shown to a caller. Null if that key is revoked. */
export async function storeApiKey(
  { orm }: Queries,
  key: Pick<ApiKeyRow, 'id' | 'tenant' | 'name' | 'scopes' | 'hash'> & Partial<Pick<ApiKeyRow, 'actor' | 'actorName'>>,
): Promise<ApiKeyRow | null> {
  const hashed = { hash: key.hash, hashPrefix: hashPrefix(key.hash) };
  const [stored] = await orm
    .insert(apiKeys)
    .values({ ...key, ...hashed })
    .onConflictDoUpdate({ target: apiKeys.id, set: hashed, setWhere: isNull(apiKeys.revokedAt) })
    .returning();
  return stored ?? null;
}
