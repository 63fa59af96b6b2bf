import type { LastRecovery } from '@holdfast/specs/public';
import { and, eq, inArray } from 'drizzle-orm';
import { boundStatuses } from '../budgets/bound-statuses.ts';
import { now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { type SessionRow, sessions } from '../schema/sessions.ts';

/** Records the report of a recovery in the sandbox that an active session has. Null if the session is not active in this epoch. */
export async function recordRecovery(
  { orm }: Queries,
  { id, lastRecovery }: { id: string; lastRecovery: LastRecovery },
): Promise<SessionRow | null> {
  const [session] = await orm
    .update(sessions)
    .set({ lastRecovery, updatedAt: now })
    .where(and(eq(sessions.id, id), eq(sessions.epoch, lastRecovery.epoch), inArray(sessions.status, boundStatuses)))
    .returning();
  return session ?? null;
}
