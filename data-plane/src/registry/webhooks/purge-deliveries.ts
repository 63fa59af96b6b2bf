import type { Queries } from '../queries.ts';

const portion = 2000;

/** Purges a portion of the deliveries that were settled so long ago. @returns how many */
export async function purgeDeliveries({ sql }: Queries, { seconds }: { seconds: number }): Promise<number> {
  const { count } = await sql`
    delete from webhook_deliveries where (webhook_id, event, subject_id) in (
      select webhook_id, event, subject_id from webhook_deliveries
      where status <> 'pending' and last_attempt_at < now() - ${seconds}::float8 * interval '1 second' limit ${portion})`;
  return count;
}
