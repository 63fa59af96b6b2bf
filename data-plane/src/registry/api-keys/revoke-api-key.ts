import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Change } from '../audit/changed-by.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { apiKeys } from '../schema/api-keys.ts';

/**
 * Revokes a key, unless it is the last one with the scope `admin`. Revoking a key again succeeds and leaves the time of the first
 * revocation. The rows of all live admin keys are locked first, so that two callers cannot revoke the last two at the same time.
 */
export async function revokeApiKey(
  { transaction }: Queries,
  { id, change }: { id: string; change: Change },
): Promise<'revoked' | 'last-admin' | 'not-found'> {
  return await transaction(async (tx) => {
    const { orm } = tx;
    const isAdmin = sql`${apiKeys.scopes} @> '["admin"]'`;
    const admins = await orm
      .select({ id: apiKeys.id })
      .from(apiKeys)
      .where(and(isAdmin, isNull(apiKeys.revokedAt)))
      .orderBy(apiKeys.id)
      .for('update');
    if (admins.length === 1 && admins[0]?.id === id) return 'last-admin';
    const [revoked] = await orm
      .update(apiKeys)
      .set({ revokedAt: now })
      .where(and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt)))
      .returning({ tenant: apiKeys.tenant });
    if (revoked) {
      await recordAudit(tx, { ...change, sessionId: null, tenant: revoked.tenant, decision: 'allowed' });
      return 'revoked';
    }
    const earlier = await orm.select({ id: apiKeys.id }).from(apiKeys).where(eq(apiKeys.id, id));
    return earlier.length > 0 ? 'revoked' : 'not-found';
  });
}
