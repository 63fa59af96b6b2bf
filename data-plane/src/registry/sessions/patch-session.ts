import { and, eq, inArray } from 'drizzle-orm';
import { type Change, changedBy } from '../audit/changed-by.ts';
import { now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { type SessionRow, sessions } from '../schema/sessions.ts';
import { liveStatuses } from './live-statuses.ts';

type PatchSessionInput = {
  id: string;
  tenant: string;
  change?: Change | undefined;
  patch: {
    metadata?: Record<string, string> | undefined;
    timeoutSeconds?: number | undefined;
    idleTimeoutSeconds?: number | undefined;
  };
};

/** Changes the given fields of a live session, and returns null if the tenant has no live session of this id. */
export async function patchSession(
  { orm }: Queries,
  { id, tenant, change, patch }: PatchSessionInput,
): Promise<SessionRow | null> {
  const [session] = await orm
    .update(sessions)
    .set({ ...patch, changedBy: changedBy(change), updatedAt: now })
    .where(and(eq(sessions.id, id), eq(sessions.tenant, tenant), inArray(sessions.status, liveStatuses)))
    .returning();
  return session ?? null;
}
