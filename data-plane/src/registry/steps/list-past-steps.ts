import type { Language, StepStatus } from '@holdfast/specs/public';
import type { Queries } from '../queries.ts';

/** A step that ran, or may have run, after the latest snapshot of its context. */
export type PastStepRow = {
  stepId: string;
  contextId: string;
  language: Language;
  epoch: number;
  contextEpoch: number | null;
  code: string;
  status: StepStatus;
  replay: boolean;
  /** Whether it ran in a kernel that followed another one in the same sandbox, which no snapshot says. */
  isAfterKernelLoss: boolean;
};

/** A recovery that would have to read more code than this reads none. */
const codeBytesMax = 64 * 1024 * 1024;

/**
 * The steps of a session since the latest snapshot of their context, in the order in which the kernels ran them. A step whose end is not
 * recorded counts as `lost`. Null if their code is too long.
 */
export async function listPastSteps(
  { sql }: Queries,
  { sessionId }: { sessionId: string },
): Promise<PastStepRow[] | null> {
  const rows = await sql<(PastStepRow & { total: number })[]>`
    with base as (
      select distinct on (context_id) context_id, epoch, context_epoch, execution_count from snapshots
      where session_id = ${sessionId}
      order by context_id, epoch desc, context_epoch desc, execution_count desc
    ), past as (
      select s.*, coalesce(s.context_epoch > least(
          min(s.context_epoch) over (partition by s.context_id, s.epoch),
          case when b.epoch = s.epoch then b.context_epoch end
        ), false) as "isAfterKernelLoss"
      from steps s left join base b on b.context_id = s.context_id
      where s.session_id = ${sessionId} and s.context_id is not null and s.status <> 'rejected'
        and s.execution_count is distinct from 0 and coalesce(s.cause ->> 'code', '') <> 'never_started'
        and (b.context_id is null
          or (s.epoch, coalesce(s.context_epoch, ${last}::int), coalesce(s.execution_count, ${last}::int))
            > (b.epoch, b.context_epoch, b.execution_count))
    ), measured as (
      select *, (sum(octet_length(code)) over ())::float8 as total from past
    )
    select id as "stepId", context_id as "contextId", language, epoch, context_epoch as "contextEpoch",
      case when total <= ${codeBytesMax}::float8 then code else '' end as code,
      case when finished_at is null then 'lost' else status end as status, replay, "isAfterKernelLoss", total
    from measured
    order by epoch, context_epoch nulls last, execution_count nulls last, number`;
  if ((rows[0]?.total ?? 0) > codeBytesMax) return null;
  return rows.map(({ total: _, ...row }) => row);
}

/** A step without counts ran last, as far as is known. */
const last = 2 ** 31 - 1;
