import { eq, sql } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { sessions } from '../schema/sessions.ts';
import { type ShareRow, shares } from '../schema/shares.ts';

/** A share link that works now, with the tenant of its session and the time that it has left, by the database's clock. */
export type LiveShare = ShareRow & { tenant: string; leftMs: number };

export async function findLiveShare({ orm }: Queries, { id }: { id: string }): Promise<LiveShare | null> {
  const leftMs = sql<number>`(extract(epoch from ${shares.expiresAt} - now()) * 1000)::float8`;
  const [found] = await orm
    .select({ share: shares, tenant: sessions.tenant, leftMs })
    .from(shares)
    .innerJoin(sessions, eq(sessions.id, shares.sessionId))
    .where(sql`${shares.id} = ${id} and ${shares.revokedAt} is null and ${shares.expiresAt} > now()`);
  return found ? { ...found.share, tenant: found.tenant, leftMs: found.leftMs } : null;
}
