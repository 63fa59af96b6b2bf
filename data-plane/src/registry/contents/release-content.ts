import type { Queries } from '../queries.ts';

/** A recovery that has begun to read a content reads it in this time. */
const readMinutes = 5;

/**
 * Clears the hash of a content that nothing refers to any more, without the hour that other contents get: large snapshots replace each
 * other every few minutes. A content that was stored or touched since stays, because another request may be about to refer to it.
 */
export async function releaseContent(
  { sql }: Queries,
  { sha256, unlessTouchedSince }: { sha256: string; unlessTouchedSince: Date },
): Promise<void> {
  await sql`
    update contents set sha256 = null, touched_at = now() - interval '1 hour' + ${readMinutes} * interval '1 minute'
    where id in (
      select id from contents c
      where c.sha256 = decode(${sha256}, 'hex') and c.touched_at <= ${unlessTouchedSince}::timestamptz
        and not exists (select from artifacts where sha256 = c.sha256)
        and not exists (select from world_files where sha256 = c.sha256)
        and not exists (select from snapshots where sha256 = c.sha256)
        and not exists (select from snapshot_files where sha256 = c.sha256)
        and not exists (select from proposal_changes where before_sha256 = c.sha256)
        and not exists (select from proposal_changes where after_sha256 = c.sha256)
      for update skip locked
    )`;
}
