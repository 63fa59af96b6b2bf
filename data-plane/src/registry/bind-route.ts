import { and, eq, inArray } from 'drizzle-orm';
import { now } from './clock.ts';
import type { Database } from './connect.ts';
import { type RouteRow, type SessionRow, sessionRoutes, sessions } from './schema.ts';
import { statusesBefore } from './status.ts';

type BindRouteInput = Omit<RouteRow, 'boundAt' | 'lastSeenAt'>;

/** Makes the session `active` with this route, or null where it is not waiting for a sandbox of this epoch. */
export async function bindRoute({ orm }: Pick<Database, 'orm'>, route: BindRouteInput): Promise<SessionRow | null> {
  return orm.transaction(async (tx) => {
    const [session] = await tx
      .update(sessions)
      .set({ status: 'active', updatedAt: now, lastActivityAt: now })
      .where(
        and(
          eq(sessions.id, route.sessionId),
          eq(sessions.epoch, route.epoch),
          inArray(sessions.status, statusesBefore('active')),
        ),
      )
      .returning();
    if (!session) return null;
    const bound = { ...route, boundAt: now, lastSeenAt: now };
    await tx.insert(sessionRoutes).values(bound).onConflictDoUpdate({ target: sessionRoutes.sessionId, set: bound });
    return session;
  });
}
