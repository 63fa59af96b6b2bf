import { isNull } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { apiKeys } from '../schema/api-keys.ts';

/** The number of keys of all tenants that are not revoked. */
export async function countLiveApiKeys({ orm }: Queries): Promise<number> {
  return orm.$count(apiKeys, isNull(apiKeys.revokedAt));
}
