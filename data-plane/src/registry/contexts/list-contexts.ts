import { and, asc, eq, isNull } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { type ContextRow, contexts } from '../schema/contexts.ts';

/** The session's contexts that are not deleted, oldest first. */
export async function listContexts({ orm }: Queries, { sessionId }: { sessionId: string }): Promise<ContextRow[]> {
  return orm
    .select()
    .from(contexts)
    .where(and(eq(contexts.sessionId, sessionId), isNull(contexts.deletedAt)))
    .orderBy(asc(contexts.createdAt), asc(contexts.id));
}
