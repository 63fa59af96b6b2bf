import type { Queries } from '../queries.ts';
import { type ContextRow, contexts } from '../schema/contexts.ts';

/** The new context, or null if the session has or had one with this id. */
export async function insertContext(
  { orm }: Queries,
  context: Pick<ContextRow, 'sessionId' | 'id' | 'language' | 'cwd'> & Partial<Pick<ContextRow, 'settings'>>,
): Promise<ContextRow | null> {
  const [inserted] = await orm.insert(contexts).values(context).onConflictDoNothing().returning();
  return inserted ?? null;
}
