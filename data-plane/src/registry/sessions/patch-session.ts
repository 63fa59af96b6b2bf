import { and, eq, inArray, sql } from 'drizzle-orm';
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
  /** Another policy, if the session has the policy of this revision. */
  policy?: { rules: SessionRow['policy']; ifRevision: number } | undefined;
};

/** Changes the given fields of a live session. Null if the tenant has no such session, or the session has a later policy. */
export async function patchSession(
  { orm }: Queries,
  { id, tenant, change, patch, policy }: PatchSessionInput,
): Promise<SessionRow | null> {
  const [session] = await orm
    .update(sessions)
    .set({
      ...patch,
      ...(policy && { policy: policy.rules, policyRevision: sql`${sessions.policyRevision} + 1` }),
      changedBy: changedBy(change),
      updatedAt: now,
    })
    .where(
      and(
        eq(sessions.id, id),
        eq(sessions.tenant, tenant),
        inArray(sessions.status, liveStatuses),
        policy && eq(sessions.policyRevision, policy.ifRevision),
      ),
    )
    .returning();
  return session ?? null;
}
