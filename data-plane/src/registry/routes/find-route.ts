import { and, eq, getTableColumns } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { type RouteRow, type SessionRow, sessionOperations, sessions } from '../schema.ts';

/** Where a session's steps go, and what their admission needs to know of the session. */
export type SessionRoute = RouteRow & Pick<SessionRow, 'tenant' | 'status' | 'language'>;

/** The session's route in any status, or null: never bound, or its sandbox is gone. */
export async function findRoute({ orm }: Queries, { sessionId }: { sessionId: string }): Promise<SessionRoute | null> {
  const [route] = await orm
    .select({ ...getTableColumns(sessionOperations), tenant, status, language })
    .from(sessionOperations)
    .innerJoin(sessions, and(eq(sessions.id, sessionOperations.sessionId), eq(sessions.epoch, sessionOperations.epoch)))
    .where(eq(sessionOperations.sessionId, sessionId));
  return route ?? null;
}

const { tenant, status, language } = sessions;
