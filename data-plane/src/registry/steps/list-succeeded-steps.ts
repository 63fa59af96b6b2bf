import { cancelWith } from '../cancel-with.ts';
import type { Queries } from '../queries.ts';
import type { StepRow } from '../schema/steps.ts';

/** A step whose code made the state of its context. */
export type SucceededStep = Pick<StepRow, 'contextId' | 'contextEpoch' | 'executionCount' | 'actor'> & {
  stepId: string;
  codeBytes: number;
};

/** More code than this is cut off at its beginning. */
const codeBytesMax = 16 * 1024 * 1024;

/**
 * The steps that succeeded in this sandbox, in the order in which they ran. Within a context, the order is the kernel's own count,
 * which does not depend on clocks. Contexts are interleaved by the latest start so far.
 */
export async function listSucceededSteps(
  { sql }: Queries,
  { sessionId, epoch }: { sessionId: string; epoch: number },
): Promise<SucceededStep[]> {
  return await sql<SucceededStep[]>`
    with ran as (
      select id, context_id, context_epoch, execution_count, actor, octet_length(code) as code_bytes,
        max(started_at) over (partition by context_id order by context_epoch, execution_count) as since
      from steps
      where session_id = ${sessionId} and epoch = ${epoch} and status = 'succeeded' and context_id is not null
        and not is_silent
    ), measured as (
      select *, row_number() over latest_first as place,
        sum(code_bytes) over (latest_first rows unbounded preceding) as bytes
      from ran window latest_first as (order by since desc, context_id desc, context_epoch desc, execution_count desc)
    )
    select id as "stepId", context_id as "contextId", context_epoch as "contextEpoch", execution_count as "executionCount",
      actor, code_bytes as "codeBytes"
    from measured where bytes <= ${codeBytesMax} order by place desc`;
}

/** The code of steps, in the order of their ids in `stepIds`. A step that is gone is left out. */
export async function readCode(
  { sql }: Queries,
  { stepIds, signal }: { stepIds: readonly string[]; signal: AbortSignal },
): Promise<string[]> {
  const rows = await cancelWith(
    signal,
    sql<{ code: string }[]>`
      select code from unnest(${stepIds}::text[]) with ordinality as wanted (step_id, place)
      join steps on steps.id = wanted.step_id order by place`,
  );
  return rows.map(({ code }) => code);
}
