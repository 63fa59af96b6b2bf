import { and, eq } from 'drizzle-orm';
import { now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { sessionOperations } from '../schema.ts';

/** Records that the route's agent has answered. */
export async function touchRoute(
  { orm }: Queries,
  { sessionId, epoch }: { sessionId: string; epoch: number },
): Promise<void> {
  await orm
    .update(sessionOperations)
    .set({ lastSeenAt: now })
    .where(and(eq(sessionOperations.sessionId, sessionId), eq(sessionOperations.epoch, epoch)));
}
