import type { LastRecovery } from '@holdfast/specs/public';
import { statusWithSandbox } from '../budgets/bound-statuses.ts';
import { columnsOf } from '../columns-of.ts';
import type { Queries } from '../queries.ts';
import type { RouteRow } from '../schema/session-routes.ts';
import { type SessionRow, sessions } from '../schema/sessions.ts';

type BindRouteInput = Omit<RouteRow, 'boundAt' | 'lastSeenAt' | 'firstContextEpoch'> & {
  /** 1 if it is not given. */
  firstContextEpoch?: number;
  /** The report of the recovery, if the session lost its sandbox before. */
  lastRecovery?: LastRecovery | null;
};

/**
 * Makes the session `active` with this route, or `budget_exceeded`. Null if the session is not waiting for a sandbox of this epoch. If the sandbox was
 * claimed, its row among the warm sandboxes is deleted. A session that an earlier version inserted gets its row among the sandboxes here.
 */
export async function bindRoute(
  { sql }: Queries,
  { firstContextEpoch = 1, lastRecovery = null, ...route }: BindRouteInput,
): Promise<SessionRow | null> {
  const [session] = await sql<SessionRow[]>`
    with active as (
      update sessions set
        status = ${sql.unsafe(statusWithSandbox)}, updated_at = date_trunc('milliseconds', now()), last_activity_at = date_trunc('milliseconds', now()),
        context_epoch_max = greatest(context_epoch_max, ${firstContextEpoch}::int), recovery_attempts = 0,
        last_recovery = coalesce(${lastRecovery && JSON.stringify(lastRecovery)}::text::jsonb, last_recovery)
      where id = ${route.sessionId} and epoch = ${route.epoch}::int and status in ('creating', 'recovering', 'resuming')
      returning *
    ), bound as (
      insert into session_routes (
        session_id, epoch, sandbox_name, sandbox_uid, node, endpoint, agent_public_key, token, token_expires_at,
        first_context_epoch)
      select
        id, epoch, ${route.sandboxName}, ${route.sandboxUid}, ${route.node}, ${route.endpoint}, ${route.agentPublicKey},
        ${route.token}, ${route.tokenExpiresAt}::timestamptz, ${firstContextEpoch}::int
      from active
      on conflict (session_id) do update set
        epoch = excluded.epoch, sandbox_name = excluded.sandbox_name, sandbox_uid = excluded.sandbox_uid,
        node = excluded.node, endpoint = excluded.endpoint, agent_public_key = excluded.agent_public_key,
        token = excluded.token, token_expires_at = excluded.token_expires_at,
        first_context_epoch = excluded.first_context_epoch, bound_at = now(), last_seen_at = now()
    ), sandbox as (
      insert into sandboxes (session_id, epoch, name, uid, state)
      select id, epoch, ${route.sandboxName}, ${route.sandboxUid}, 'bound' from active
      on conflict (session_id, epoch) do update set
        name = excluded.name, uid = excluded.uid, state = 'bound', replica_id = null, deadline_at = null
      where sandboxes.state = 'launching'
    ), claimed as (
      delete from warm_sandboxes using active
      where warm_sandboxes.name = ${route.sandboxName} and warm_sandboxes.session_id = active.id and warm_sandboxes.epoch = active.epoch
    )
    select ${sql.unsafe(columns)} from active`;
  return session ?? null;
}

const columns = columnsOf(sessions);
