import { and, eq, isNotNull } from 'drizzle-orm';
import { fromNow } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { sessions } from '../schema/sessions.ts';

/** Makes an ended session due in this many seconds: its removal has failed, so it is retried before the time reserved for it is over. */
export async function rescheduleSession(
  { orm }: Queries,
  { id, epoch, seconds }: { id: string; epoch: number; seconds: number },
): Promise<void> {
  await orm
    .update(sessions)
    .set({ nextCheckAt: fromNow(seconds) })
    .where(and(eq(sessions.id, id), eq(sessions.epoch, epoch), isNotNull(sessions.endedAt)));
}
