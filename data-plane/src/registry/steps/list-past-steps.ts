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

/** `isUnfinished`: its end is not recorded, so that it may be soon. */
type PastStep = PastStepRow & { isUnfinished: boolean };

/** A recovery that would have to read more code than this reads none. */
const codeBytesMax = 64 * 1024 * 1024;

/**
 * The steps of a session since the latest snapshot of their context, in the order in which the kernels ran them. A step whose end is not
 * recorded counts as `lost`, and so does a silent one, and what a step has evaluated beside its code: neither runs again, and both may have
 * changed anything that they name. Null if their code is too long.
 */
export async function listPastSteps(
  { sql }: Queries,
  { sessionId }: { sessionId: string },
): Promise<PastStep[] | null> {
  const rows = await sql<(PastStep & { total: number })[]>`
    with base as (
      select distinct on (context_id) context_id, epoch, context_epoch, execution_count, silent_count from snapshots
      where session_id = ${sessionId}
      order by context_id, epoch desc, context_epoch desc, execution_count desc, silent_count desc
    ), past as (
      select s.*, coalesce(s.context_epoch > least(
          min(s.context_epoch) over (partition by s.context_id, s.epoch),
          case when b.epoch = s.epoch then b.context_epoch end
        ), false) as "isAfterKernelLoss"
      from steps s left join base b on b.context_id = s.context_id
      where s.session_id = ${sessionId} and s.context_id is not null and s.status <> 'rejected'
        and s.execution_count is distinct from 0 and coalesce(s.cause ->> 'code', '') <> 'never_started'
        and (b.context_id is null
          or (s.epoch, coalesce(s.context_epoch, ${last}::int),
              coalesce(case when s.is_silent then s.silent_count else s.execution_count end, ${last}::int))
            > (b.epoch, b.context_epoch, case when s.is_silent then b.silent_count else b.execution_count end))
    ), parts as (
      select *, 0 as part from past
      union all
      select p.*, 1 from past p where expressions <> '{}' and status <> 'failed'
    ), told as (
      select *, case part when 0 then code else (select string_agg(value, e'\\n') from jsonb_each_text(expressions)) end as text,
        finished_at is null or is_silent or part = 1 as is_lost
      from parts
    ), measured as (
      select *, (sum(octet_length(text)) over ())::float8 as total from told
    )
    select id as "stepId", context_id as "contextId", language, epoch, context_epoch as "contextEpoch",
      case when total <= ${codeBytesMax}::float8 then text else '' end as code,
      case when is_lost then 'lost' else status end as status, replay and not is_lost as replay, "isAfterKernelLoss",
      finished_at is null as "isUnfinished", total
    from measured
    order by epoch, context_epoch nulls last, execution_count nulls last, not is_silent, silent_count nulls last, number, part`;
  if ((rows[0]?.total ?? 0) > codeBytesMax) return null;
  return rows.map(({ total: _, ...row }) => row);
}

/** A step without counts ran last, as far as is known. */
const last = 2 ** 31 - 1;
