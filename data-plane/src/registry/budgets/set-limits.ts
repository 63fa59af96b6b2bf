import type { Change } from '../audit/changed-by.ts';
import type { Queries } from '../queries.ts';
import { boundStatuses } from './bound-statuses.ts';
import type { Limits } from './find-budgets.ts';

type LimitsOf = Limits & {
  /** The budget. */
  id: string;
  /** The session through which it is changed. */
  sessionId: string;
  change?: Change | undefined;
};

/**
 * Sets the limits of a budget. Its sessions become `budget_exceeded` or `active` in the same statement. That of `sessionId` does so together with the
 * name of the change, so that the audit log has one entry for both; a trigger moves the others, and finds this one moved.
 */
export async function setLimits(
  { sql }: Queries,
  { id, sessionId, change, iterations, timeMs, tokens, cost }: LimitsOf,
): Promise<void> {
  await sql`
    with limited as (
      update budgets set
        iterations = ${iterations}::int, time_ms = ${timeMs}::float8, tokens = ${tokens}::bigint, cost = ${cost}::text::numeric
      where id = ${id} returning is_used_up
    )
    update sessions set
      status = case
        when not status = any (${[...boundStatuses]}::text[]) then status
        when limited.is_used_up then 'budget_exceeded' else 'active' end,
      changed_by = coalesce(
        ${change ? JSON.stringify(change) : null}::text::jsonb || jsonb_build_object('transaction', pg_current_xact_id()::text), changed_by)
    from limited where sessions.id = ${sessionId}`;
}
