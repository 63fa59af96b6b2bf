import { eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import { fromNow } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { type SessionRow, sessions } from '../schema/sessions.ts';
import { type Deadline, deadlines } from './due.ts';

/**
 * Why a session is due: a deadline (see due.ts), or what is to follow an end. `unswept`: ended, its sandbox not known to be gone. `deletable`: its deletion was asked for and nothing holds it back.
 */
export type DueSession = SessionRow & { due: Deadline | 'unswept' | 'deletable' };

type TakeDueSessionsInput = {
  limit: number;
  /** For how long nobody else is given these rows: by then the taker has acted, or is gone. */
  deferSeconds?: number;
  /** The same where what is due is a removal. */
  sweepSeconds?: number;
};

/** Sessions about which something must be done now. Two replicas never get the same one. */
export async function takeDueSessions(
  { orm }: Queries,
  { limit, deferSeconds = 10, sweepSeconds = deferSeconds }: TakeDueSessionsInput,
): Promise<DueSession[]> {
  const due = orm.$with('due').as(
    orm
      .select({ id: sessions.id, reason: reason.as('reason') })
      .from(sessions)
      .where(
        sql`(${sessions.sandboxGoneAt} is null or ${sessions.deleteRequestedAt} is not null)
          and ${sessions.nextCheckAt} <= now() and ${reason} is not null`,
      )
      .orderBy(sessions.nextCheckAt)
      .limit(limit)
      .for('update', { skipLocked: true }),
  );
  return orm
    .with(due)
    .update(sessions)
    .set({
      nextCheckAt: sql`case when ${due.reason} in ('unswept', 'deletable') then ${fromNow(sweepSeconds)} else ${fromNow(deferSeconds)} end`,
    })
    .from(due)
    .where(eq(sessions.id, due.id))
    .returning({ ...getTableColumns(sessions), due: due.reason });
}

const reason: SQL<DueSession['due']> = sql`case
  when ${deadlines.start_overdue} then 'start_overdue'
  when ${deadlines.job_ended} then 'job_ended'
  when ${deadlines.max_age} then 'max_age'
  when ${deadlines.idle} then 'idle'
  when ${sessions.endedAt} is not null and ${sessions.sandboxGoneAt} is null then 'unswept'
  when ${sessions.sandboxGoneAt} is not null and ${sessions.deleteRequestedAt} is not null then 'deletable'
end`;
