import { and, eq, isNotNull, isNull } from 'drizzle-orm';
import { now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { sessionRoutes } from '../schema/session-routes.ts';
import { type SessionRow, sessions } from '../schema/sessions.ts';

/** Records that nothing of the ended session runs any more, and removes its route; null if that is recorded already. */
export async function markSandboxGone(
  { transaction }: Queries,
  { id, epoch }: { id: string; epoch: number },
): Promise<SessionRow | null> {
  return await transaction(async ({ orm }) => {
    const [session] = await orm
      .update(sessions)
      .set({ sandboxGoneAt: now, nextCheckAt: now })
      .where(
        and(
          eq(sessions.id, id),
          eq(sessions.epoch, epoch),
          isNotNull(sessions.endedAt),
          isNull(sessions.sandboxGoneAt),
        ),
      )
      .returning();
    if (session) await orm.delete(sessionRoutes).where(eq(sessionRoutes.sessionId, id));
    return session ?? null;
  });
}
