import type { Page } from '@holdfast/specs/public';
import { and, desc, eq } from 'drizzle-orm';
import { olderThan, timePage } from '../cursor.ts';
import type { Queries } from '../queries.ts';
import { type ApiKeyRow, apiKeys } from '../schema/api-keys.ts';

/**
 * Newest first, including revoked keys.
 * @throws Problem `invalid-request` if the cursor is invalid.
 */
export async function listApiKeys(
  { orm }: Queries,
  { tenant, limit, cursor }: { tenant?: string | undefined; limit: number; cursor?: string | undefined },
): Promise<Page<ApiKeyRow>> {
  const rows = await orm
    .select()
    .from(apiKeys)
    .where(and(tenant === undefined ? undefined : eq(apiKeys.tenant, tenant), olderThan(cursor, apiKeys)))
    .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id))
    .limit(limit + 1);
  return timePage(rows, limit);
}
