import { and, eq, isNotNull, sql } from 'drizzle-orm';
import { now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { type SessionRow, sessions } from '../schema/sessions.ts';

/** Notes that the ended session's row is to go once its sandbox has; null where there is no such session that has ended. */
export async function requestDeletion(
  { orm }: Queries,
  { id, tenant }: { id: string; tenant: string },
): Promise<SessionRow | null> {
  const [session] = await orm
    .update(sessions)
    .set({ deleteRequestedAt: sql`coalesce(${sessions.deleteRequestedAt}, now())`, nextCheckAt: now })
    .where(and(eq(sessions.id, id), eq(sessions.tenant, tenant), isNotNull(sessions.endedAt)))
    .returning();
  return session ?? null;
}
