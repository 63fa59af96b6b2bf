import { eq, getTableColumns } from 'drizzle-orm';
import type { Database } from './connect.ts';
import { type RouteRow, type SessionRow, sessionRoutes, sessions } from './schema.ts';

/** All routes with their session's status and epoch: what the runtime's list is compared with. */
export async function listBoundRoutes({
  orm,
}: Pick<Database, 'orm'>): Promise<(RouteRow & { session: Pick<SessionRow, 'status' | 'epoch'> })[]> {
  return orm
    .select({ ...getTableColumns(sessionRoutes), session: { status: sessions.status, epoch: sessions.epoch } })
    .from(sessionRoutes)
    .innerJoin(sessions, eq(sessions.id, sessionRoutes.sessionId));
}
