import { and, eq, gt, inArray, isNull, or, sql } from 'drizzle-orm';
import { now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { statesBeforeGone } from '../sandboxes/list-sandboxes-left.ts';
import { sandboxes } from '../schema/sandboxes.ts';
import { sessionRoutes } from '../schema/session-routes.ts';
import { type SessionRow, sessions } from '../schema/sessions.ts';
import { endedStatuses } from './live-statuses.ts';

/**
 * Records that nothing runs any more of the sandbox that a session had in this epoch, and removes its route. The session must have ended,
 * be `lost` or have a later sandbox.
 * @returns the session if it has ended and this was the last of its sandboxes, null otherwise
 */
export async function markSandboxGone(
  { transaction }: Queries,
  { id, epoch }: { id: string; epoch: number },
): Promise<SessionRow | null> {
  return await transaction(async ({ orm }) => {
    // If two sandboxes are gone at the same time, they are recorded one after the other, and the second is the last.
    const hasEnded = inArray(sessions.status, endedStatuses);
    const isUnused = inArray(sessions.status, [...endedStatuses, 'lost', 'paused']);
    const [unused] = await orm
      .select({ id: sessions.id })
      .from(sessions)
      .where(and(eq(sessions.id, id), or(and(eq(sessions.epoch, epoch), isUnused), gt(sessions.epoch, epoch))))
      .for('update');
    if (!unused) return null;
    const { sessionId, state } = sandboxes;
    await orm
      .update(sandboxes)
      .set({ state: 'gone', replicaId: null, deadlineAt: null })
      .where(and(eq(sessionId, id), eq(sandboxes.epoch, epoch), inArray(state, statesBeforeGone)));
    await orm.delete(sessionRoutes).where(and(eq(sessionRoutes.sessionId, id), eq(sessionRoutes.epoch, epoch)));
    const [session] = await orm
      .update(sessions)
      .set({ sandboxGoneAt: now, nextCheckAt: now })
      .where(
        and(
          eq(sessions.id, id),
          hasEnded,
          isNull(sessions.sandboxGoneAt),
          sql`not exists (select from ${sandboxes} where ${sessionId} = ${id} and ${state} <> 'gone')`,
        ),
      )
      .returning();
    return session ?? null;
  });
}
