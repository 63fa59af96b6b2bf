import type { Queries } from '../queries.ts';

/**
 * Takes the name from contents that nothing refers to and nobody has wanted for an hour, so that nobody finds them any more. Whoever
 * is reading one has another hour for it. Looks at `limit` old contents whose id comes after `after`.
 *
 * @returns the last id that was looked at, null at the end: references are no reason to look at a content more rarely, so one turn
 * does not look at all
 */
export async function hideUnreferencedContents(
  { sql }: Queries,
  { after, limit }: { after: string; limit: number },
): Promise<string | null> {
  const [row] = await sql<{ last: string | null; count: number }[]>`
    with old as materialized (
      select id, sha256 from contents
      where id > ${after} and sha256 is not null and touched_at < now() - interval '1 hour' order by id limit ${limit}
    ), unwanted as materialized (
      select c.id from contents c
      where c.id in (
          select id from old
          where not exists (select from artifacts where sha256 = old.sha256)
            and not exists (select from world_files where sha256 = old.sha256)
        ) and c.touched_at < now() - interval '1 hour'
      -- Somebody who holds it is just about to refer to it.
      for update skip locked
    ), disowned as (
      update contents set sha256 = null, touched_at = now() from unwanted where contents.id = unwanted.id
    )
    select max(id) as last, count(*)::int as count from old`;
  return row && row.count === limit ? row.last : null;
}
