import type { Queries } from '../queries.ts';

const portion = 1000;

/**
 * Marks deliveries whose time has come: that of a further attempt, or the end of the lease of a replica that did not settle its attempt. If that attempt was the last
 * one, the delivery has failed.
 * @returns how many have failed
 */
export async function markDueDeliveries({ sql }: Queries, { attemptsMax }: { attemptsMax: number }): Promise<number> {
  const { count } = await sql`
    update webhook_deliveries set
      status = 'failed', response_status = null, fault = 'the end of the last attempt is not known', leased_until = null
    where (webhook_id, event, subject_id) in (
      select webhook_id, event, subject_id from webhook_deliveries
      where status = 'pending' and not is_due and next_attempt_at <= now() and attempts >= ${attemptsMax}::int
      order by next_attempt_at limit ${portion} for update skip locked)`;
  await sql`
    update webhook_deliveries set is_due = true where (webhook_id, event, subject_id) in (
      select webhook_id, event, subject_id from webhook_deliveries
      where status = 'pending' and not is_due and next_attempt_at <= now() and attempts < ${attemptsMax}::int
      order by next_attempt_at limit ${portion} for update skip locked)`;
  return count;
}
