import { and, inArray, isNotNull } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { apiKeys } from '../schema/api-keys.ts';

/** Those of the given keys that are revoked. A key that does not exist is not among them. */
export async function listRevokedApiKeys({ orm }: Queries, { ids }: { ids: string[] }): Promise<string[]> {
  if (ids.length === 0) return [];
  const revoked = await orm
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(inArray(apiKeys.id, ids), isNotNull(apiKeys.revokedAt)));
  return revoked.map(({ id }) => id);
}
