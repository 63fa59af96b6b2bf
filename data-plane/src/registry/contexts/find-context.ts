import { and, eq } from 'drizzle-orm';
import type { Queries } from '../queries.ts';
import { type ContextRow, contexts } from '../schema/contexts.ts';

/** The context, even if it is deleted. */
export async function findContext(
  { orm }: Queries,
  { sessionId, contextId }: { sessionId: string; contextId: string },
): Promise<ContextRow | null> {
  const [context] = await orm
    .select()
    .from(contexts)
    .where(and(eq(contexts.sessionId, sessionId), eq(contexts.id, contextId)));
  return context ?? null;
}
