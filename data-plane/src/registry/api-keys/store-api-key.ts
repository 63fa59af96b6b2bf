import { isNull } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { type ApiKeyRow, apiKeys } from '../schema/api-keys.ts';
import { hashPrefix } from './find-api-key-by-hash.ts';

/** The key's row; one of the same id gets this hash, since nobody was told the earlier key. Null where it is revoked. */
export async function storeApiKey(
  { orm }: Queries,
  key: Pick<ApiKeyRow, 'id' | 'tenant' | 'name' | 'scopes' | 'hash'>,
): Promise<ApiKeyRow | null> {
  const hashed = { hash: key.hash, hashPrefix: hashPrefix(key.hash) };
  const [stored] = await orm
    .insert(apiKeys)
    .values({ ...key, ...hashed })
    .onConflictDoUpdate({ target: apiKeys.id, set: hashed, setWhere: isNull(apiKeys.revokedAt) })
    .returning();
  return stored ?? null;
}
