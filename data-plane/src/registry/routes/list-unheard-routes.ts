import { and, count, eq, inArray, lte, or, sql } from 'drizzle-orm';
import { boundStatuses } from '../budgets/bound-statuses.ts';
import { fromNow } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { type RouteRow, sessionRoutes } from '../schema/session-routes.ts';
import { sessions } from '../schema/sessions.ts';

export type UnheardRoute = Pick<RouteRow, 'sessionId' | 'epoch' | 'sandboxUid'>;

/** The active sessions whose agents no replica has heard for so long, and the suspected ones among the active sessions. */
export async function listUnheardRoutes(
  { orm }: Queries,
  { seconds, suspects }: { seconds: number; suspects: readonly string[] },
): Promise<UnheardRoute[]> {
  const { sessionId, epoch, sandboxUid, lastSeenAt } = sessionRoutes;
  return await orm
    .select({ sessionId, epoch, sandboxUid })
    .from(sessionRoutes)
    .innerJoin(sessions, and(eq(sessions.id, sessionId), eq(sessions.epoch, epoch)))
    .where(
      and(
        inArray(sessions.status, boundStatuses),
        or(lte(lastSeenAt, fromNow(-seconds)), sql`${sessionId} = any(${sql.param(suspects)}::text[])`),
      ),
    );
}

export async function countBoundRoutes({ orm }: Queries): Promise<number> {
  const [row] = await orm.select({ bound: count() }).from(sessionRoutes);
  return row?.bound ?? 0;
}
