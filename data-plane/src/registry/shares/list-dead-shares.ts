import { inArray, sql } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { shares } from '../schema/shares.ts';

/** Those of the given share links that do not work any more. */
export async function listDeadShares({ orm }: Queries, { ids }: { ids: readonly string[] }): Promise<string[]> {
  if (ids.length === 0) return [];
  const live = await orm
    .select({ id: shares.id })
    .from(shares)
    .where(sql`${inArray(shares.id, [...ids])} and ${shares.revokedAt} is null and ${shares.expiresAt} > now()`);
  const alive = new Set(live.map(({ id }) => id));
  return ids.filter((id) => !alive.has(id));
}
