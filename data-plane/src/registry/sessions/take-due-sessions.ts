import { and, eq, getTableColumns, inArray, type SQL, sql } from 'drizzle-orm';
import { fromNow } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { sandboxes } from '../schema/sandboxes.ts';
import { sessionRoutes } from '../schema/session-routes.ts';
import { type SessionRow, sessions } from '../schema/sessions.ts';
import { type Deadline, deadlineConditions, hasSandboxLeft, isGone } from './deadline-conditions.ts';
import { endedStatuses } from './live-statuses.ts';

/** A session about which something must be done. An ended session is due while its sandbox, or a row to be deleted, is left. */
export type DueSession = SessionRow & {
  /** The deadlines that have passed. */
  passed: Deadline[];
  /** Whether the removal of a sandbox that the live session does not use any more has stopped. */
  isSandboxLeft: boolean;
  /** The sandbox that is bound to the session in its epoch. */
  sandboxUid: string | null;
};

type TakeDueSessionsInput = {
  limit: number;
  /** The replica that acts on them. */
  replicaId?: string | undefined;
  /** For how long no other replica is given these rows: by then this one has acted, or is gone. */
  deferSeconds?: number;
  /** The same for a session that has ended: its sandbox takes time to remove. */
  removalSeconds?: number;
};

/**
 * Finds due sessions and defers them. Two replicas never get the same one. If the replica that removes the sandbox of an ended session is
 * gone, the session does not wait until its time. One in a status that this version does not know is never due.
 */
export async function takeDueSessions(
  { orm }: Queries,
  { limit, replicaId, deferSeconds = 10, removalSeconds = deferSeconds }: TakeDueSessionsInput,
): Promise<DueSession[]> {
  const statement = statements.get(orm) ?? prepareStatement(orm);
  statements.set(orm, statement);
  return await statement.execute({ limit, replicaId: replicaId ?? null, deferSeconds, removalSeconds });
}

/** Every replica asks once a second, and to build, parse and plan so long a statement costs far more than to run it. */
const statements = new WeakMap<Queries['orm'], ReturnType<typeof prepareStatement>>();

function prepareStatement(orm: Queries['orm']) {
  const due = orm.$with('due').as(
    orm
      .select({
        id: sessions.id,
        passed: passedDeadlines.as('passed'),
        isSandboxLeft: sql<boolean>`${hasSandboxLeft}`.as('is_sandbox_left'),
      })
      .from(sessions)
      .where(
        sql`(${sessions.sandboxGoneAt} is null or ${sessions.deleteRequestedAt} is not null)
          and (${sessions.nextCheckAt} <= now() or ${hasLostItsReplica})
          and ((${sessions.endedAt} is not null and ${inArray(sessions.status, endedStatuses)}) or ${anyHasPassed} or (${hasSandboxLeft}))`,
      )
      .orderBy(sessions.nextCheckAt)
      .limit(sql.placeholder('limit'))
      .for('update', { skipLocked: true }),
  );
  const removals = orm.$with('removals').as(
    orm
      .update(sandboxes)
      .set({ replicaId: sql`${sql.placeholder('replicaId')}`, deadlineAt: fromNow(sql.placeholder('removalSeconds')) })
      .from(due)
      .where(and(eq(sandboxes.sessionId, due.id), eq(sandboxes.state, 'fencing')))
      .returning({ sessionId: sandboxes.sessionId }),
  );
  return orm
    .with(due, removals)
    .update(sessions)
    .set({
      nextCheckAt: sql`case when ${sessions.endedAt} is not null
        then ${fromNow(sql.placeholder('removalSeconds'))} else ${fromNow(sql.placeholder('deferSeconds'))} end`,
    })
    .from(due)
    .where(eq(sessions.id, due.id))
    .returning({ ...getTableColumns(sessions), passed: due.passed, isSandboxLeft: due.isSandboxLeft, sandboxUid })
    .prepare('take_due_sessions');
}

/** Few sandboxes are removed at a time, and they have an index. */
const hasLostItsReplica = sql`${sessions.id} in (
  select ${sandboxes.sessionId} from ${sandboxes}
  where ${sandboxes.state} = 'fencing' and ${isGone(sandboxes.replicaId)}
)`;

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
