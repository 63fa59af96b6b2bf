import { and, eq, isNotNull } from 'drizzle-orm';
import { fromNow } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { sessions } from '../schema/sessions.ts';

/** Makes an ended session due in so many seconds: whoever was to see to it has failed, and nobody need wait until it must be gone. */
export async function rescheduleSession(
  { orm }: Queries,
  { id, seconds }: { id: string; seconds: number },
): Promise<void> {
  await orm
    .update(sessions)
    .set({ nextCheckAt: fromNow(seconds) })
    .where(and(eq(sessions.id, id), isNotNull(sessions.endedAt)));
}
