import { columnsOf } from '../columns-of.ts';
import type { Queries } from '../queries.ts';
import { type RouteRow, sessionRoutes } from '../schema/session-routes.ts';
import type { SessionRow } from '../schema/sessions.ts';

/** A session's route, with the columns of the session that the admission of a step needs. */
export type SessionRoute = RouteRow &
  Pick<
    SessionRow,
    | 'tenant'
    | 'status'
    | 'language'
    | 'recovery'
    | 'network'
    | 'policy'
    | 'policyRevision'
    | 'contextEpochMax'
    | 'budgetOf'
  > & { hasWebhooks: boolean };

/** The session's route, whatever its status. Null if it was never bound, or its sandbox is gone. */
export async function findRoute({ sql }: Queries, { sessionId }: { sessionId: string }): Promise<SessionRoute | null> {
  const [route] = await sql<SessionRoute[]>`
    select ${sql.unsafe(columns)}, tenant, status, language, recovery, network, policy, policy_revision as "policyRevision",
      context_epoch_max as "contextEpochMax", budget_of as "budgetOf", has_webhooks as "hasWebhooks"
    from session_routes join (
      select id, epoch as of_epoch, tenant, status, language, recovery, network, policy, policy_revision, context_epoch_max, budget_of,
        webhooks is not null as has_webhooks
      from sessions
    ) as session on id = session_id and of_epoch = epoch
    where session_id = ${sessionId}`;
  return route ?? null;
}

const columns = columnsOf(sessionRoutes);
