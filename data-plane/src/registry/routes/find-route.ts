import { and, eq, getTableColumns } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { type RouteRow, sessionRoutes } from '../schema/session-routes.ts';
import { type SessionRow, sessions } from '../schema/sessions.ts';

/** A session's route, with the columns of the session that the admission of a step needs. */
export type SessionRoute = RouteRow &
  Pick<SessionRow, 'tenant' | 'status' | 'language' | 'recovery' | 'contextEpochMax'>;

/** The session's route, whatever its status. Null if it was never bound, or its sandbox is gone. */
export async function findRoute({ orm }: Queries, { sessionId }: { sessionId: string }): Promise<SessionRoute | null> {
  const [route] = await orm
    .select({ ...getTableColumns(sessionRoutes), tenant, status, language, recovery, contextEpochMax })
    .from(sessionRoutes)
    .innerJoin(sessions, and(eq(sessions.id, sessionRoutes.sessionId), eq(sessions.epoch, sessionRoutes.epoch)))
    .where(eq(sessionRoutes.sessionId, sessionId));
  return route ?? null;
}

const { tenant, status, language, recovery, contextEpochMax } = sessions;
