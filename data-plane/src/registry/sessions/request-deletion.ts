import { and, eq, inArray, sql } from 'drizzle-orm';
import { type Change, changedBy } from '../audit/changed-by.ts';
import { now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { type SessionRow, sessions } from '../schema/sessions.ts';
import { endedStatuses } from './live-statuses.ts';

/** Marks an ended session for deletion, which follows once its sandboxes are gone; null if the tenant has no ended session of this id. */
export async function requestDeletion(
  { orm }: Queries,
  { id, tenant, change }: { id: string; tenant: string; change?: Change | undefined },
): Promise<SessionRow | null> {
  const [session] = await orm
    .update(sessions)
    .set({
      deleteRequestedAt: sql`coalesce(${sessions.deleteRequestedAt}, now())`,
      nextCheckAt: now,
      changedBy: changedBy(change),
    })
    .where(and(eq(sessions.id, id), eq(sessions.tenant, tenant), inArray(sessions.status, endedStatuses)))
    .returning();
  return session ?? null;
}
