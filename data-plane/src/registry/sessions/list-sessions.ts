import type { Page, SessionStatus } from '@holdfast/specs/public';
import { and, desc, eq, inArray, isNull, sql } from 'drizzle-orm';
import { olderThan, timePage } from '../cursor.ts';
import type { Queries } from '../queries.ts';
import { type SessionRow, sessions } from '../schema/sessions.ts';

type ListSessionsInput = {
  tenant: string;
  statuses?: SessionStatus[] | undefined;
  /** Only sessions whose metadata contains all of these. */
  metadata?: Record<string, string> | undefined;
  limit: number;
  cursor?: string | undefined;
};

/**
 * The tenant's sessions, newest first, without those that are being deleted.
 * @throws Problem 400 if the cursor is not from an earlier page
 */
export async function listSessions(
  { orm }: Queries,
  { tenant, statuses, metadata, limit, cursor }: ListSessionsInput,
): Promise<Page<SessionRow>> {
  const rows = await orm
    .select()
    .from(sessions)
    .where(
      and(
        eq(sessions.tenant, tenant),
        isNull(sessions.deleteRequestedAt),
        statuses && inArray(sessions.status, statuses),
        metadata && sql`${sessions.metadata} @> ${JSON.stringify(metadata)}::text::jsonb`,
        olderThan(cursor, sessions),
      ),
    )
    .orderBy(desc(sessions.createdAt), desc(sessions.id))
    .limit(limit + 1);
  return timePage(rows, limit);
}
