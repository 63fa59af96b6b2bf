import { isNull } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { apiKeys } from '../schema/api-keys.ts';

/** How many keys are not revoked, of all tenants. */
export async function countLiveApiKeys({ orm }: Queries): Promise<number> {
  return orm.$count(apiKeys, isNull(apiKeys.revokedAt));
}
