import { and, eq, isNotNull } from 'drizzle-orm';
import { fromNow } from '../clock.ts';
import type { Database } from '../connect.ts';
import { sessions } from '../schema.ts';

/** Makes an ended session due in this many seconds: its removal has failed, so it is retried before the time reserved for it is over. */
export async function rescheduleSession(
  { orm }: Pick<Database, 'orm'>,
  { id, epoch, seconds }: { id: string; epoch: number; seconds: number },
): Promise<void> {
  await orm
    .update(sessions)
    .set({ nextLookAt: fromNow(seconds) })
    .where(and(eq(sessions.id, id), eq(sessions.epoch, epoch), isNotNull(sessions.endedAt)));
}
