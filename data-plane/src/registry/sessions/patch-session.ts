import { lifeSecondsMax, metadataEntriesMax } from '@holdfast/specs/public';
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
    /** Null removes an entry. */
    metadata?: Record<string, string | null> | undefined;
    timeoutSeconds?: number | undefined;
    /** Counted from now, unlike the timeout. */
    expiresInSeconds?: number | undefined;
    idleTimeoutSeconds?: number | undefined;
    webhooks?: SessionRow['webhooks'] | undefined;
  };
  /** Another policy, if the session has the policy of this revision. */
  policy?: { rules: SessionRow['policy']; ifRevision: number } | undefined;
  /** Only if the session has this budget, or none. */
  ifBudgetOf?: string | null | undefined;
};

/**
 * Changes the given fields of a live session. Null if the tenant has no such session, the session has a later policy or another budget, or it
 * would have more metadata or a longer life than a session may have.
 */
export async function patchSession(
  { orm }: Queries,
  { id, tenant, change, patch, policy, ifBudgetOf }: PatchSessionInput,
): Promise<SessionRow | null> {
  const { metadata, expiresInSeconds, ...fields } = patch;
  const merged = metadata && sql`jsonb_strip_nulls(${sessions.metadata} || ${JSON.stringify(metadata)}::text::jsonb)`;
  const timeout =
    expiresInSeconds === undefined
      ? undefined
      : sql`ceil(extract(epoch from now() - ${sessions.createdAt}) + ${expiresInSeconds}::float8)::int`;
  const [session] = await orm
    .update(sessions)
    .set({
      ...fields,
      ...(merged && { metadata: merged }),
      ...(timeout && { timeoutSeconds: timeout }),
      ...(policy && { policy: policy.rules }),
      // Replicas learn by it what they have to ask for before a step.
      ...((policy || patch.webhooks !== undefined) && { policyRevision: sql`${sessions.policyRevision} + 1` }),
      changedBy: changedBy(change),
      updatedAt: now,
    })
    .where(
      and(
        eq(sessions.id, id),
        eq(sessions.tenant, tenant),
        inArray(sessions.status, liveStatuses),
        policy && eq(sessions.policyRevision, policy.ifRevision),
        ifBudgetOf === undefined ? undefined : sql`${sessions.budgetOf} is not distinct from ${ifBudgetOf}`,
        merged && sql`(select count(*) from jsonb_object_keys(${merged})) <= ${metadataEntriesMax}::int`,
        timeout && sql`${timeout} <= ${lifeSecondsMax}::int`,
      ),
    )
    .returning();
  return session ?? null;
}
