import { timingSafeEqual } from 'node:crypto';
import { and, eq, isNull } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { type ApiKeyRow, apiKeys } from '../schema/api-keys.ts';

/** The key with this SHA-256, unless revoked. The time of an index lookup reveals something about the value, so it uses only a prefix. */
export async function findApiKeyByHash({ orm }: Queries, { hash }: { hash: Buffer }): Promise<ApiKeyRow | null> {
  const [key] = await orm
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.hashPrefix, hashPrefix(hash)), isNull(apiKeys.revokedAt)));
  return key && key.hash.length === hash.length && timingSafeEqual(key.hash, hash) ? key : null;
}

export const hashPrefix = (hash: Buffer): string => hash.toString('hex', 0, 8);
