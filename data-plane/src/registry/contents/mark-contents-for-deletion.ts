import type { Queries } from '../queries.ts';
import type { StoreName } from '../schema/contents.ts';

/**
 * Marks objects without a hash that were not touched for an hour. From now on they cannot be finished, and their bytes may be deleted.
 *
 * @returns their ids, at most `limit`, including objects that were marked before and still exist
 */
export async function markContentsForDeletion(
  { sql }: Queries,
  { store, limit }: { store: StoreName; limit: number },
): Promise<string[]> {
  const marked = await sql<{ id: string }[]>`
    update contents set touched_at = '-infinity'
    where id in (
      select id from contents
      where sha256 is null and store = ${store} and touched_at < now() - interval '1 hour' limit ${limit} for update skip locked
    )
    returning id`;
  return marked.map(({ id }) => id);
}
