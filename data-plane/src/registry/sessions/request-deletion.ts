import { and, eq, isNotNull, sql } from 'drizzle-orm';
import { now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { type SessionRow, sessions } from '../schema/sessions.ts';

/** Marks an ended session for deletion, which follows once its sandbox is gone; null if the tenant has no ended session of this id. */
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
