import type { Queries } from '../queries.ts';
import type { StoreName } from '../schema/contents.ts';

/**
 * Gives up objects without a name for which nobody has done anything for an hour: from now on nobody can finish them, and their
 * bytes may be removed. Those that were given up before and are still there are among them.
 *
 * @returns their ids, at most `limit`
 */
export async function markContentsForDeletion(
  { sql }: Queries,
  { store, limit }: { store: StoreName; limit: number },
): Promise<string[]> {
  const taken = await sql<{ id: string }[]>`
    update contents set touched_at = '-infinity'
    where id in (
      select id from contents
      where sha256 is null and store = ${store} and touched_at < now() - interval '1 hour' limit ${limit} for update skip locked
    )
    returning id`;
  return taken.map(({ id }) => id);
}
