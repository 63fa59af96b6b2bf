import { isNull } from 'drizzle-orm';
import { type NewAuditEntry, recordAudit } from '../audit/record-audit.ts';
import type { Queries } from '../queries.ts';
import { type ApiKeyRow, apiKeys } from '../schema/api-keys.ts';
import { hashPrefix } from './find-api-key-by-hash.ts';

/** Stores the key. A key that already has this id gets the new hash, because its own was never shown to a caller. Null if that key is revoked. */
export async function storeApiKey(
  { transaction }: Queries,
  key: Pick<ApiKeyRow, 'id' | 'tenant' | 'name' | 'scopes' | 'hash'> & Partial<Pick<ApiKeyRow, 'actor' | 'actorName'>>,
  entry: NewAuditEntry,
): Promise<ApiKeyRow | null> {
  const hashed = { hash: key.hash, hashPrefix: hashPrefix(key.hash) };
  return await transaction(async (tx) => {
    const [stored] = await tx.orm
      .insert(apiKeys)
      .values({ ...key, ...hashed })
      .onConflictDoUpdate({ target: apiKeys.id, set: hashed, setWhere: isNull(apiKeys.revokedAt) })
      .returning();
    if (!stored) return null;
    await recordAudit(tx, entry);
    return stored;
  });
}
