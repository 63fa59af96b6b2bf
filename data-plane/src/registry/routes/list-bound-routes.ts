import type { Queries } from '../queries.ts';
import { type RouteRow, sessionRoutes } from '../schema/session-routes.ts';

/** Which sandbox belongs to which session, of all sessions that have one: what the runtime's list is compared with. */
export async function listBoundRoutes({
  orm,
}: Queries): Promise<Pick<RouteRow, 'sessionId' | 'sandboxName' | 'sandboxUid'>[]> {
  const { sessionId, sandboxName, sandboxUid } = sessionRoutes;
  return orm.select({ sessionId, sandboxName, sandboxUid }).from(sessionRoutes);
}
