import type { Queries } from '../queries.ts';
import { type ContextRow, contexts } from '../schema/contexts.ts';

/** The new context, or null where the session has had one of this id. */
export async function insertContext(
  { orm }: Queries,
  context: Pick<ContextRow, 'sessionId' | 'id' | 'language' | 'cwd'>,
): Promise<ContextRow | null> {
  const [inserted] = await orm.insert(contexts).values(context).onConflictDoNothing().returning();
  return inserted ?? null;
}
