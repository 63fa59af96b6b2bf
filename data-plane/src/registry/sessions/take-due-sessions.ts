import { eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import { fromNow } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { sessionRoutes } from '../schema/session-routes.ts';
import { type SessionRow, sessions } from '../schema/sessions.ts';
import { type Deadline, deadlineConditions } from './deadline-conditions.ts';

/** A session about which something must be done. An ended session is due while its sandbox, or a row to be deleted, is left. */
export type DueSession = SessionRow & {
  /** The deadlines that have passed. */
  passed: Deadline[];
  /** The sandbox that is bound to the session in its epoch. */
  sandboxUid: string | null;
};

type TakeDueSessionsInput = {
  limit: number;
  /** For how long no other replica is given these rows: by then this one has acted, or is gone. */
  deferSeconds?: number;
  /** The same for a session that has ended: its sandbox takes time to remove. */
  removalSeconds?: number;
};

/** Finds due sessions and defers them. Two replicas never get the same one. */
export async function takeDueSessions(
  { orm }: Queries,
  { limit, deferSeconds = 10, removalSeconds = deferSeconds }: TakeDueSessionsInput,
): Promise<DueSession[]> {
  const due = orm.$with('due').as(
    orm
      .select({ id: sessions.id, passed: passedDeadlines.as('passed') })
      .from(sessions)
      .where(
        sql`(${sessions.sandboxGoneAt} is null or ${sessions.deleteRequestedAt} is not null)
          and ${sessions.nextCheckAt} <= now() and (${sessions.endedAt} is not null or ${anyHasPassed})`,
      )
      .orderBy(sessions.nextCheckAt)
      .limit(limit)
      .for('update', { skipLocked: true }),
  );
  return orm
    .with(due)
    .update(sessions)
    .set({
      nextCheckAt: sql`case when ${sessions.endedAt} is not null then ${fromNow(removalSeconds)} else ${fromNow(deferSeconds)} end`,
    })
    .from(due)
    .where(eq(sessions.id, due.id))
    .returning({ ...getTableColumns(sessions), passed: due.passed, sandboxUid });
}

const conditions = Object.entries(deadlineConditions);

const anyHasPassed = sql.join(
  conditions.map(([, condition]) => sql`(${condition})`),
  sql` or `,
);

const passedDeadlines: SQL<Deadline[]> = sql`array_remove(array[${sql.join(
  conditions.map(([name, condition]) => sql`case when ${condition} then ${sql.raw(`'${name}'`)} end`),
  sql`, `,
)}], null)`;

const sandboxUid = sql<string | null>`(
  select ${sessionRoutes.sandboxUid} from ${sessionRoutes}
  where ${sessionRoutes.sessionId} = ${sessions.id} and ${sessionRoutes.epoch} = ${sessions.epoch}
)`;
