import { eq, sql } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { type ApiKeyRow, apiKeys } from '../schema/api-keys.ts';

/** The revoked key, or null if there is none. Revoking it again succeeds and leaves the time of the first revocation. */
export async function revokeApiKey({ orm }: Queries, { id }: { id: string }): Promise<ApiKeyRow | null> {
  const [key] = await orm
    .update(apiKeys)
    .set({ revokedAt: sql`coalesce(${apiKeys.revokedAt}, now())` })
    .where(eq(apiKeys.id, id))
    .returning();
  return key ?? null;
}
