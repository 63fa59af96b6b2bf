import type { Queries } from '../queries.ts';
import type { ProcessRow } from '../schema/processes.ts';

type More = Pick<ProcessRow, 'id'> & { replicaId: string; sliceMs: number };

/** `leftMs`: how long the process may go on, by the database's clock; null: its budget has no limit of time. */
type Reserved = { leftMs: number | null };

/**
 * Reserves more time of its budget for a process that this replica follows, as far as there is any.
 * @returns null if the replica does not follow it any more
 */
export async function reserveProcessTime({ sql }: Queries, { id, replicaId, sliceMs }: More): Promise<Reserved | null> {
  const [reserved] = await sql<Reserved[]>`
    with budget as materialized (
      select id, time_ms, greatest(0, floor(time_ms - time_used_ms - time_reserved_ms)) as ms_left
      from budgets where id = (select budget_id from processes where id = ${id}) for update
    ), running as (
      select p.id, reserved_ms, extract(epoch from clock_timestamp() - started_at) * 1000 as ran_ms, b.id as budget_id,
        case when time_ms is not null then least(ms_left, greatest(0,
          extract(epoch from clock_timestamp() - started_at) * 1000 + ${sliceMs}::int - coalesce(reserved_ms, 0)))::int end as more_ms
      from processes p join budget b on true where p.id = ${id} and p.replica_id = ${replicaId} and p.status = 'running'
      for update of p
    ), longer as (
      update processes set reserved_ms = coalesce(r.reserved_ms, 0) + more_ms from running r
      where processes.id = r.id and more_ms is not null
    ), taken as (
      update budgets set time_reserved_ms = time_reserved_ms + more_ms from running r
      where budgets.id = r.budget_id and more_ms is not null
    )
    select (coalesce(reserved_ms, 0) + more_ms - ran_ms)::float8 as "leftMs" from running`;
  return reserved ?? null;
}
