import { columnsOf } from '../columns-of.ts';
import type { Queries } from '../queries.ts';
import { type SessionRow, sessions } from '../schema/sessions.ts';
import { claimWarmSandbox, type ReadySandbox, type WarmSandboxCriteria } from '../warm-sandboxes/claim-warm-sandbox.ts';

type InsertSessionInput = Pick<
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
};

/**
 * Inserts a session as `creating` with its first sandbox as `launching`, and claims a warm sandbox for it, if it may have one and one is
 * ready.
 * @returns null if the tenant has reached its number of sessions
 */
export async function insertSession(
  { transaction }: Queries,
  { warm, ...session }: InsertSessionInput,
): Promise<{ session: SessionRow; claimed: ReadySandbox | null } | null> {
  return await transaction(async (tx) => {
    const { sql } = tx;
    // Sent together over one connection, which executes them in order.
    const [, [inserted], claimed] = await Promise.all([
      // One insert at a time per tenant, until the commit: two that count at the same time would both find room.
      sql`select pg_advisory_xact_lock(${quotaLocks}, hashtext(${session.tenant}))`.execute(),
      sql<SessionRow[]>`
        with inserted as (
          insert into sessions (
            id, tenant, status, language, runtime, network, profile, metadata, env, job_id, timeout_seconds,
            idle_timeout_seconds, start_deadline_at)
          select
            ${session.id}, ${session.tenant}, 'creating', ${session.language}, ${session.runtime}, ${session.network},
            ${session.profile}, ${JSON.stringify(session.metadata)}::text::jsonb, ${session.env}, ${session.jobId ?? null},
            ${session.timeoutSeconds}::int, ${session.idleTimeoutSeconds}::int, now() + ${session.startSeconds}::float8 * interval '1 second'
          where ${session.sessionsMax}::int > (
            select count(*) from sessions where tenant = ${session.tenant} and sandbox_gone_at is null)
          returning *
        ), launching as (
          insert into sandboxes (session_id, epoch, name, state, replica_id, deadline_at)
          select id, epoch, ${session.sandboxName}, 'launching', ${session.replicaId ?? null}, start_deadline_at from inserted
        )
        select ${sql.unsafe(columns)} from inserted`.execute(),
      warm ? claimWarmSandbox(tx, { sessionId: session.id, epoch: 1, ...warm }) : null,
    ]);
    return inserted ? { session: inserted, claimed } : null;
  });
}

/** The first half of the lock's name; the second is the tenant. */
const quotaLocks = 1;

const columns = columnsOf(sessions);
