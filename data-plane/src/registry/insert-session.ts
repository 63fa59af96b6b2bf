import { and, count, eq, inArray, sql } from 'drizzle-orm';
import { fromNow } from './clock.ts';
import type { Database } from './connect.ts';
import { type SessionRow, sessions } from './schema.ts';
import { liveStatuses } from './status.ts';

type InsertSessionInput = Pick<
  SessionRow,
  'id' | 'tenant' | 'language' | 'runtime' | 'network' | 'metadata' | 'env' | 'timeoutSeconds' | 'idleTimeoutSeconds'
> & {
  /** How long the start may take. */
  startSeconds: number;
  /** How many live sessions the tenant may have, this one included. */
  sessionsMax: number;
};

/** The new session, `creating`, or null where the tenant has its number of live sessions already. */
export async function insertSession(
  { orm }: Pick<Database, 'orm'>,
  { startSeconds, sessionsMax, ...session }: InsertSessionInput,
): Promise<SessionRow | null> {
  return orm.transaction(async (tx) => {
    // One at a time per tenant, until the commit: two that count at once would both find room.
    await tx.execute(sql`select pg_advisory_xact_lock(${quotaLocks}, hashtext(${session.tenant}))`);
    const isLive = and(eq(sessions.tenant, session.tenant), inArray(sessions.status, liveStatuses));
    const [live] = await tx.select({ count: count() }).from(sessions).where(isLive);
    if (!live || live.count >= sessionsMax) return null;
    const row = { ...session, status: 'creating' as const, startDeadlineAt: fromNow(startSeconds) };
    const [inserted] = await tx.insert(sessions).values(row).returning();
    return inserted ?? null;
  });
}

/** The first half of the lock's name; the second is the tenant. */
const quotaLocks = 1;
