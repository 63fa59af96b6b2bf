import type { Queries } from '../queries.ts';

/**
 * Clears the hash of contents that have had no references and were not stored again for an hour, so that they are no longer found. A
 * reader that has one open has another hour to finish. Checks `limit` old contents whose id comes after `after`: referenced contents
 * are checked again each time, so one pass does not reach all.
 *
 * @returns the last id that was checked, null at the end
 */
export async function hideUnreferencedContents(
  { sql }: Queries,
  { after, limit }: { after: string; limit: number },
): Promise<string | null> {
  const [row] = await sql<{ last: string | null; count: number }[]>`
    with old as materialized (
      select id, sha256 from contents
      where id > ${after} and sha256 is not null and touched_at < now() - interval '1 hour' order by id limit ${limit}
    ), unreferenced as materialized (
      select c.id from contents c
      where c.id in (
          select id from old
          where not exists (select from artifacts where sha256 = old.sha256)
            and not exists (select from world_files where sha256 = old.sha256)
            and not exists (select from snapshots where sha256 = old.sha256)
            and not exists (select from snapshot_files where sha256 = old.sha256)
            and not exists (select from proposal_changes where before_sha256 = old.sha256)
            and not exists (select from proposal_changes where after_sha256 = old.sha256)
        ) and c.touched_at < now() - interval '1 hour'
      -- A transaction that has locked the row is about to refer to it.
      for update skip locked
    ), hidden as (
      update contents set sha256 = null, touched_at = now() from unreferenced where contents.id = unreferenced.id
    )
    select max(id) as last, count(*)::int as count from old`;
  return row && row.count === limit ? row.last : null;
}
