import type { ListOrder, Page, SessionStatus } from '@holdfast/specs/public';
import { and, asc, desc, eq, inArray, isNull, sql } from 'drizzle-orm';
import { beyond, timePage } from '../cursor.ts';
import type { Queries } from '../queries.ts';
import { type SessionRow, sessions } from '../schema/sessions.ts';

type ListSessionsInput = {
  tenant: string;
  statuses?: SessionStatus[] | undefined;
  /** Only sessions whose metadata contains all of these. */
  metadata?: Record<string, string> | undefined;
  clientKey?: string | undefined;
  /** Times as RFC 3339. */
  createdAfter?: string | undefined;
  createdBefore?: string | undefined;
  /** By the time of creation. */
  order?: ListOrder;
  limit: number;
  cursor?: string | undefined;
};

/**
 * The tenant's sessions, without those that are being deleted.
 * @throws Problem 400 if the cursor is not from an earlier page
 */
export async function listSessions(
  { orm }: Queries,
  {
    tenant,
    statuses,
    metadata,
    clientKey,
    createdAfter,
    createdBefore,
    order = 'desc',
    limit,
    cursor,
  }: ListSessionsInput,
): Promise<Page<SessionRow>> {
  const by = order === 'asc' ? asc : desc;
  const rows = await orm
    .select()
    .from(sessions)
    .where(
      and(
        eq(sessions.tenant, tenant),
        isNull(sessions.deleteRequestedAt),
        statuses && inArray(sessions.status, statuses),
        metadata && sql`${sessions.metadata} @> ${JSON.stringify(metadata)}::text::jsonb`,
        clientKey === undefined ? undefined : eq(sessions.clientKey, clientKey),
        createdAfter ? sql`${sessions.createdAt} >= ${createdAfter}::timestamptz` : undefined,
        createdBefore ? sql`${sessions.createdAt} < ${createdBefore}::timestamptz` : undefined,
        beyond(cursor, sessions, order),
      ),
    )
    .orderBy(by(sessions.createdAt), by(sessions.id))
    .limit(limit + 1);
  return timePage(rows, limit);
}
