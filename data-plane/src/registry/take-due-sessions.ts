import { eq, getTableColumns, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { fromNow } from './clock.ts';
import type { Database } from './connect.ts';
import { type SessionRow, sessions, steps } from './schema.ts';

/**
 * Why a session is due. `start_overdue`: still `creating` after its deadline. `max_age`, `idle`: active for too long.
 * `unswept`: ended, its sandbox not known to be gone. `deletable`: its deletion was asked for and nothing holds it back.
 */
export type DueSession = SessionRow & { due: 'start_overdue' | 'max_age' | 'idle' | 'unswept' | 'deletable' };

type TakeDueSessionsInput = {
  limit: number;
  /** For how long nobody else is given these rows: by then the taker has acted, or is gone. */
  deferSeconds?: number;
};

/** Sessions about which something must be done now. Two replicas never get the same one. */
export async function takeDueSessions(
  { orm }: Pick<Database, 'orm'>,
  { limit, deferSeconds = 10 }: TakeDueSessionsInput,
): Promise<DueSession[]> {
  const due = orm.$with('due').as(
    orm
      .select({ id: sessions.id, reason: reason.as('reason') })
      .from(sessions)
      .where(
        sql`(${sessions.sandboxGoneAt} is null or ${sessions.deleteRequestedAt} is not null)
          and ${sessions.nextLookAt} <= now() and ${reason} is not null`,
      )
      .orderBy(sessions.nextLookAt)
      .limit(limit)
      .for('update', { skipLocked: true }),
  );
  return orm
    .with(due)
    .update(sessions)
    .set({ nextLookAt: fromNow(deferSeconds) })
    .from(due)
    .where(eq(sessions.id, due.id))
    .returning({ ...getTableColumns(sessions), due: due.reason });
}

const past = (start: SQLWrapper, seconds: SQLWrapper) => sql`${start} + ${seconds} * interval '1 second' <= now()`;

/** A running step is activity; one has a replica that follows it. */
const hasUnfinishedStep = sql`exists (
  select from ${steps} where ${steps.sessionId} = ${sessions.id} and ${steps.replicaId} is not null
)`;

const reason: SQL<DueSession['due']> = sql`case
  when ${sessions.status} = 'creating' and ${sessions.startDeadlineAt} <= now() then 'start_overdue'
  when ${sessions.status} = 'active' and ${past(sessions.createdAt, sessions.timeoutSeconds)} then 'max_age'
  when ${sessions.status} = 'active' and ${past(sessions.lastActivityAt, sessions.idleTimeoutSeconds)}
    and not ${hasUnfinishedStep} then 'idle'
  when ${sessions.endedAt} is not null and ${sessions.sandboxGoneAt} is null then 'unswept'
  when ${sessions.sandboxGoneAt} is not null and ${sessions.deleteRequestedAt} is not null then 'deletable'
end`;
