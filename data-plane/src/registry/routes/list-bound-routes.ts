import type { Queries } from '../queries.ts';
import { type RouteRow, sessionRoutes } from '../schema/session-routes.ts';

/** The sandboxes of all sessions that have one, for a comparison with the runtime's list. */
export async function listBoundRoutes({
  orm,
}: Queries): Promise<Pick<RouteRow, 'sessionId' | 'epoch' | 'sandboxName' | 'sandboxUid'>[]> {
  const { sessionId, epoch, sandboxName, sandboxUid } = sessionRoutes;
  return orm.select({ sessionId, epoch, sandboxName, sandboxUid }).from(sessionRoutes);
}
