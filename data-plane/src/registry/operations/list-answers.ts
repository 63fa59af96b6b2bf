import type { Queries } from '../queries.ts';

/** A call of a step, with what its code got. */
export type AnsweredCall = {
  stepId: string;
  call: number;
  name: string;
  /** SHA-256 of the arguments as JSON. */
  digest: Buffer;
  /** JSON. Null: the host gave none that is kept. */
  answer: string | null;
};

/** A recovery takes no more than these. */
const bytesMax = 16 * 1024 * 1024;
/** Counted for a call beside its name and answer, so that calls without answers are bounded as well. */
const callBytes = 200;

/**
 * The calls of steps in the order of their numbers, whether the data-plane has answered them or the host. Calls beyond 16 MiB are left out: a replay stops
 * there.
 */
export async function listAnswers(
  { sql }: Queries,
  { sessionId, stepIds }: { sessionId: string; stepIds: readonly string[] },
): Promise<AnsweredCall[]> {
  return await sql<AnsweredCall[]>`
    with called as (
      select step_id, call, name, digest, answer from kept_answers where session_id = ${sessionId}
      union all
      select step_id, call, name, sha256(convert_to(arguments, 'UTF8')), case when status = 'timed_out' then ${timedOut} else answer end
      from operations where session_id = ${sessionId}
    ), measured as (
      select *, sum(${callBytes}::int8 + octet_length(name) + coalesce(octet_length(answer), 0)) over (order by step_id, call) as bytes
      from called where step_id = any(${stepIds as string[]}::text[])
    )
    select step_id as "stepId", call, name, digest, answer
    from measured where bytes <= ${bytesMax}::float8 order by step_id, call`;
}

/** The answer of a call whose host did not answer in time. */
export const timedOut = JSON.stringify({
  error: { name: 'OperationTimeout', message: 'the host has not answered in time' },
});
