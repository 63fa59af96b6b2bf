import { and, eq, isNotNull, isNull } from 'drizzle-orm';
import { now } from '../clock.ts';
import type { Database } from '../connect.ts';
import { type SessionRow, sessionOperations, sessions } from '../schema.ts';

/** Records that nothing of the ended session runs any more, and removes its route; null if that is recorded already. */
export async function markSandboxGone(
  { orm }: Pick<Database, 'orm'>,
  { id, epoch }: { id: string; epoch: number },
): Promise<SessionRow | null> {
  return orm.transaction(async (tx) => {
    const [session] = await tx
      .update(sessions)
      .set({ sandboxGoneAt: now, nextLookAt: now })
      .where(
        and(
          eq(sessions.id, id),
          eq(sessions.epoch, epoch),
          isNotNull(sessions.endedAt),
          isNull(sessions.sandboxGoneAt),
        ),
      )
      .returning();
    if (session) await tx.delete(sessionOperations).where(eq(sessionOperations.sessionId, id));
    return session ?? null;
  });
}
