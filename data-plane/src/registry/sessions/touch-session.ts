import { and, eq, inArray } from 'drizzle-orm';
import { boundStatuses } from '../budgets/bound-statuses.ts';
import { now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { sessions } from '../schema/sessions.ts';

/** Records activity of a session that has its sandbox in this epoch; null if it is not. Its idle time starts anew. */
export async function touchSession(
  { orm }: Queries,
  { sessionId, epoch }: { sessionId: string; epoch: number },
): Promise<{ idleTimeoutSeconds: number } | null> {
  const [touched] = await orm
    .update(sessions)
    .set({ lastActivityAt: now })
    .where(and(eq(sessions.id, sessionId), eq(sessions.epoch, epoch), inArray(sessions.status, boundStatuses)))
    .returning({ idleTimeoutSeconds: sessions.idleTimeoutSeconds });
  return touched ?? null;
}
