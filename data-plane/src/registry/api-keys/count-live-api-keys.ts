import { isNull } from 'drizzle-orm';
import type { Database } from '../connect.ts';
import { apiKeys } from '../schema.ts';

/** How many keys are not revoked, of all tenants. */
export async function countLiveApiKeys({ orm }: Pick<Database, 'orm'>): Promise<number> {
  return orm.$count(apiKeys, isNull(apiKeys.revokedAt));
}
