import { and, eq, isNull } from 'drizzle-orm';
import { now } from '../clock.ts';
import type { Queries } from '../queries.ts';
import { type ContextRow, contexts } from '../schema/contexts.ts';

/** The context, now deleted, or null if there was none to delete. */
export async function markContextDeleted(
  { orm }: Queries,
  { sessionId, contextId }: { sessionId: string; contextId: string },
): Promise<ContextRow | null> {
  const [context] = await orm
    .update(contexts)
    .set({ deletedAt: now })
    .where(and(eq(contexts.sessionId, sessionId), eq(contexts.id, contextId), isNull(contexts.deletedAt)))
    .returning();
  return context ?? null;
}
