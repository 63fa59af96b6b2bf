import { and, eq } from 'drizzle-orm';
import { now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { sessionRoutes } from '../schema/session-routes.ts';

/** Records that the route's agent answered. */
export async function touchRoute(
  { orm }: Queries,
  { sessionId, epoch }: { sessionId: string; epoch: number },
): Promise<void> {
  await orm
    .update(sessionRoutes)
    .set({ lastSeenAt: now })
    .where(and(eq(sessionRoutes.sessionId, sessionId), eq(sessionRoutes.epoch, epoch)));
}
