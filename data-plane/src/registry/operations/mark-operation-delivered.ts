import type { Queries } from '../queries.ts';

/** A longer answer is not kept for a replay. */
export const keptAnswerBytesMax = 64 * 1024;
/** Nor are more than these for one step. */
export const keptStepBytesMax = 1024 * 1024;

/**
 * The code has the answer, so it is kept for a replay alone, if there is room. That of a denied call has the rule, which the events of its step
 * show.
 */
export async function markOperationDelivered({ sql }: Queries, { id }: { id: string }): Promise<void> {
  await sql`
    update operations o set delivered_at = now(), answer = case when status = 'denied' or octet_length(answer) <= least(
      ${keptAnswerBytesMax}::int8,
      ${keptStepBytesMax}::int8 - (
        select coalesce(sum(octet_length(answer)), 0) from operations
        where step_id = o.step_id and delivered_at is not null and status <> 'denied'
      )
    ) then answer end
    where id = ${id} and status <> 'pending' and delivered_at is null`;
}
