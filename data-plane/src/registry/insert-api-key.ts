import type { Database } from './connect.ts';
import { hashPrefix } from './find-api-key-by-hash.ts';
import { type ApiKeyRow, apiKeys } from './schema.ts';

/** The new key's row, or null where the same key is there already. `hash` is the key's SHA-256. */
export async function insertApiKey(
  { orm }: Pick<Database, 'orm'>,
  key: Pick<ApiKeyRow, 'id' | 'tenant' | 'name' | 'scopes' | 'hash'>,
): Promise<ApiKeyRow | null> {
  const row = { ...key, hashPrefix: hashPrefix(key.hash) };
  const [inserted] = await orm.insert(apiKeys).values(row).onConflictDoNothing().returning();
  return inserted ?? null;
}
