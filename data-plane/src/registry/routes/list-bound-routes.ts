import type { Database } from '../connect.ts';
import { type RouteRow, sessionOperations } from '../schema.ts';

/** Which sandbox belongs to which session, of all sessions that have one: what the runtime's list is compared with. */
export async function listBoundRoutes({
  orm,
}: Pick<Database, 'orm'>): Promise<Pick<RouteRow, 'sessionId' | 'epoch' | 'sandboxName' | 'sandboxUid'>[]> {
  const { sessionId, epoch, sandboxName, sandboxUid } = sessionOperations;
  return orm.select({ sessionId, epoch, sandboxName, sandboxUid }).from(sessionOperations);
}
