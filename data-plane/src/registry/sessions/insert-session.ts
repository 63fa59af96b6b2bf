import type { IdleAction, LastRecovery, RecoveryMode } from '@holdfast/specs/public';
import type postgres from 'postgres';
import type { Change } from '../audit/changed-by.ts';
import type { Limits } from '../budgets/find-budgets.ts';
import { columnsOf } from '../columns-of.ts';
import type { Queries } from '../queries.ts';
import { type SessionRow, sessions } from '../schema/sessions.ts';
import { claimStatement, type ReadySandbox, type WarmSandboxCriteria } from '../warm-sandboxes/claim-warm-sandbox.ts';

export type NewSession = Pick<
  SessionRow,
  | 'id'
  | 'tenant'
  | 'language'
  | 'runtime'
  | 'network'
  | 'profile'
  | 'metadata'
  | 'env'
  | 'timeoutSeconds'
  | 'idleTimeoutSeconds'
> & {
  clientKey?: string | undefined;
  recovery?: RecoveryMode | undefined;
  onIdle?: IdleAction | undefined;
  /** Null or absent: unrestricted. */
  policy?: SessionRow['policy'] | undefined;
  /** The job for which the session is made. */
  jobId?: string | undefined;
  /** The replica that starts the sandbox. Without one, only the start deadline ends a start that fails. */
  replicaId?: string | undefined;
  /** The name under which the sandbox of the first epoch is launched, if no warm one is claimed. */
  sandboxName: string;
  /** Seconds until the start deadline. */
  startSeconds: number;
  /** How many sessions of the tenant may have a sandbox, this one included. An ended session counts until its sandbox is gone. */
  sessionsMax: number;
  /** The warm sandboxes that the session may claim; without it, none. */
  warm?: WarmSandboxCriteria | undefined;
  change?: Change | undefined;
  webhooks?: SessionRow['webhooks'] | undefined;
  /** The budget that the session is to have; without `limits`, one that is there already. */
  budget?: { id: string; limits: Limits | null } | undefined;
  /** The beginning of the report of a session that starts with the state of another one. */
  lastRecovery?: LastRecovery | undefined;
};

export type InsertedSession = { session: SessionRow; claimed: ReadySandbox | null };
type Rows = [locked: postgres.Row[], inserted: SessionRow[], claimed: ReadySandbox[] | null];

/**
 * Inserts a session as `creating` with its first sandbox as `launching`, and claims a warm sandbox for it, if it may have one and one is
 * ready. `onAnswered` gets the result as soon as it is known, while it is still being committed. A session that may claim is on disk by
 * the time of its bind at the latest, because what is committed first is written first.
 * @returns null if the tenant has reached its number of sessions, or has a living session with the client's key
 */
export async function insertSession(
  { together }: Queries,
  { warm, ...session }: NewSession,
  onAnswered: (inserted: InsertedSession) => void = () => {},
): Promise<InsertedSession | null> {
  const rows = await together<Rows>(
    (sql) => [
      warm ? quotaLockWithoutDisk(sql, session) : quotaLock(sql, session),
      insertStatement(sql, session),
      warm ? claimStatement(sql, { sessionId: session.id, epoch: 1, ...warm }) : null,
    ],
    (answered) => {
      const inserted = resultOf(answered);
      if (inserted) onAnswered(inserted);
    },
  );
  return resultOf(rows);
}

const resultOf = ([, [session], claimed]: Rows): InsertedSession | null =>
  session ? { session, claimed: claimed?.[0] ?? null } : null;

/** One insert at a time per tenant, until the commit: two that count at the same time would both find room. */
export const quotaLock = (sql: postgres.ISql, { tenant }: { tenant: string }): postgres.PendingQuery<postgres.Row[]> =>
  sql`select pg_advisory_xact_lock(${quotaLocks}, hashtext(${tenant}))`;

/** The same, and the commit does not wait for the disk. */
const quotaLockWithoutDisk: typeof quotaLock = (sql, { tenant }) => sql`
  select pg_advisory_xact_lock(${quotaLocks}, hashtext(${tenant})), set_config('synchronous_commit', 'off', true)`;

/** No row if the tenant has reached its number of sessions, or has a living session with the client's key. */
export const insertStatement = (
  sql: postgres.ISql,
  session: Omit<NewSession, 'warm'>,
): postgres.PendingQuery<SessionRow[]> => sql<SessionRow[]>`
  with inserted as (
    insert into sessions (
      id, tenant, status, language, runtime, network, profile, metadata, env, job_id, timeout_seconds,
      idle_timeout_seconds, client_key, recovery, on_idle, policy, last_recovery, budget_of, webhooks, start_deadline_at,
      changed_by)
    select
      ${session.id}, ${session.tenant}, 'creating', ${session.language}, ${session.runtime}, ${session.network},
      ${session.profile}, ${JSON.stringify(session.metadata)}::text::jsonb, ${session.env}, ${session.jobId ?? null},
      ${session.timeoutSeconds}::int, ${session.idleTimeoutSeconds}::int, ${session.clientKey ?? null},
      ${session.recovery ?? 'off'}, ${session.onIdle ?? 'end'}, ${session.policy ? JSON.stringify(session.policy) : null}::text::jsonb,
      ${session.lastRecovery ? JSON.stringify(session.lastRecovery) : null}::text::jsonb,
      ${session.budget?.id ?? null}, ${session.webhooks ? JSON.stringify(session.webhooks) : null}::text::jsonb, now() + ${session.startSeconds}::float8 * interval '1 second',
      ${session.change ? JSON.stringify(session.change) : null}::text::jsonb || jsonb_build_object('transaction', pg_current_xact_id()::text)
    where ${session.sessionsMax}::int > (
      select count(*) from sessions where tenant = ${session.tenant} and sandbox_gone_at is null)
    on conflict (tenant, client_key) where client_key is not null and ended_at is null do nothing
    returning *
  ), ${session.budget?.limits ? budgetStatement(sql, session.budget.id, session.budget.limits) : sql``} launching as (
    insert into sandboxes (session_id, epoch, name, state, replica_id, deadline_at)
    select id, epoch, ${session.sandboxName}, 'launching', ${session.replicaId ?? null}, start_deadline_at from inserted
  )
  select ${sql.unsafe(columns)} from inserted`;

/** A budget for the inserted session. The key that refers to it is checked at the end of the statement. */
const budgetStatement = (sql: postgres.ISql, id: string, { iterations, timeMs, tokens, cost }: Limits) => sql`
  budgeted as (
    insert into budgets (id, tenant, session_id, iterations, time_ms, tokens, cost)
    select ${id}, tenant, id, ${iterations}::int, ${timeMs}::float8, ${tokens}::bigint, ${cost}::text::numeric from inserted
  ),`;

/** The first half of the lock's name; the second is the tenant. */
const quotaLocks = 1;

const columns = columnsOf(sessions);
