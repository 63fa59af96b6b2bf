import { and, eq, isNull, ne } from 'drizzle-orm';
import { now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { type ApiKeyRow, apiKeys } from '../schema/api-keys.ts';
import { hashPrefix } from './find-api-key-by-hash.ts';

/** Adds the configured key unless it exists (a revoked one stays revoked), and revokes the one that was configured before. */
export async function storeConfiguredApiKey(
  { transaction }: Queries,
  key: Pick<ApiKeyRow, 'id' | 'tenant' | 'name' | 'scopes' | 'hash'>,
): Promise<void> {
  const row = { ...key, hashPrefix: hashPrefix(key.hash), isConfigured: true };
  await transaction(async ({ orm }) => {
    const configured = { isConfigured: true };
    await orm.insert(apiKeys).values(row).onConflictDoUpdate({ target: apiKeys.hashPrefix, set: configured });
    await orm
      .update(apiKeys)
      .set({ revokedAt: now })
      .where(and(eq(apiKeys.isConfigured, true), isNull(apiKeys.revokedAt), ne(apiKeys.hashPrefix, row.hashPrefix)));
  });
}
