import type { Queries } from '../queries.ts';
import type { PastStepRow } from './list-past-steps.ts';

const codeBytesMax = 64 * 1024 * 1024;

/**
 * The steps of all contexts since the point at which each began, in the order in which the kernels ran them, to be run again: all but those whose
 * end is not known, and the messages of front ends. Null if their code is too long, or steps were purged.
 */
export async function listHistory(
  { sql }: Queries,
  { sessionId }: { sessionId: string },
): Promise<PastStepRow[] | null> {
  const rows = await sql<(PastStepRow & { total: number; purged: number })[]>`
    with base as (
      select context_id as of_context, max(array[epoch, context_epoch, execution_count]) as began from snapshots
      where session_id = ${sessionId} and origin = 'base'
      group by context_id
    ), ran as (
      select *, (sum(octet_length(code)) over ())::float8 as total from steps left join base on of_context = context_id
      where session_id = ${sessionId} and context_id is not null and execution_count > 0 and not is_forgotten and not is_silent
        and (began is null or array[epoch, context_epoch, execution_count] > began)
    )
    select ran.id as "stepId", context_id as "contextId", ran.language,
      case when total <= ${codeBytesMax}::float8 then code else '' end as code,
      case when finished_at is null then 'lost' else ran.status end as status,
      finished_at is not null and ran.status in ('succeeded', 'failed') and code <> '' as replay, total,
      s.purged_step_number as purged
    from ran join sessions s on s.id = ran.session_id
    order by ran.epoch, context_epoch, execution_count, number`;
  const [first] = rows;
  if (first && (first.total > codeBytesMax || first.purged > 0)) return null;
  return rows.map(({ total: _, purged: __, ...row }) => row);
}
