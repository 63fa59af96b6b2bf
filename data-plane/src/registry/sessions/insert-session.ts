import { columnsOf } from '../columns-of.ts';
import type { Queries } from '../queries.ts';
import { type SessionRow, sessions } from '../schema/sessions.ts';
import { liveStatuses } from '../status.ts';
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
  /** The job that it is for. */
  jobId?: string | undefined;
  /** How long the start may take. */
  startSeconds: number;
  /** How many live sessions the tenant may have, this one included. */
  sessionsMax: number;
  /** What it may claim; nothing is asked where it is left out. */
  warm?: WarmSandboxCriteria | undefined;
};

/** The new session, `creating`, or null where the tenant has its number of live sessions already; and a warm sandbox that is its own now. */
export async function insertSession(
  { transaction }: Queries,
  { warm, ...session }: InsertSessionInput,
): Promise<{ session: SessionRow; claimed: ReadySandbox | null } | null> {
  return await transaction(async (tx) => {
    const { sql } = tx;
    // Sent at once over one connection, which keeps their order.
    const [, [inserted], claimed] = await Promise.all([
      // One at a time per tenant, until the commit: two that count at once would both find room.
      sql`select pg_advisory_xact_lock(${quotaLocks}, hashtext(${session.tenant}))`.execute(),
      sql<SessionRow[]>`
        insert into sessions (
          id, tenant, status, language, runtime, network, profile, metadata, env, job_id, timeout_seconds,
          idle_timeout_seconds, start_deadline_at)
        select
          ${session.id}, ${session.tenant}, 'creating', ${session.language}, ${session.runtime}, ${session.network},
          ${session.profile}, ${JSON.stringify(session.metadata)}::text::jsonb, ${session.env}, ${session.jobId ?? null},
          ${session.timeoutSeconds}::int, ${session.idleTimeoutSeconds}::int, now() + ${session.startSeconds}::float8 * interval '1 second'
        where ${session.sessionsMax}::int > (
          select count(*) from sessions where tenant = ${session.tenant} and status in (${sql.unsafe(live)}))
        returning ${sql.unsafe(columns)}`.execute(),
      warm ? claimWarmSandbox(tx, { sessionId: session.id, ...warm }) : null,
    ]);
    return inserted ? { session: inserted, claimed } : null;
  });
}

/** The first half of the lock's name; the second is the tenant. */
const quotaLocks = 1;

const columns = columnsOf(sessions);

/** Written out, so that the index of the live ones serves also where a plan is made for any parameters. */
const live = liveStatuses.map((status) => `'${status}'`).join(', ');
