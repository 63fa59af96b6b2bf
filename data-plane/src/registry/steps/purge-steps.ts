import type { Queries } from '../queries.ts';
import { recountKeptBytes } from '../tenants/recount-kept-bytes.ts';

/** A portion takes well under a second: so many steps, or those whose code and events begin within so many bytes. */
const stepsMax = 500;
const bytesMax = 32 * 1024 * 1024;

/** No step has a higher number. */
const numberMax = 2 ** 31 - 1;

type PurgeStepsInput = {
  sessionId: string;
  /** The highest number to purge. `all` is for a session that is deleted. */
  upTo: number | 'all';
  /** How long an Idempotency-Key counts after the end of its step. */
  keySeconds: number;
};

/**
 * Purges the oldest steps of a session with their artifacts and operations, in one portion. An unfinished step stays, with all that follow it. A step whose
 * Idempotency-Key counts is emptied, so that its id stays known. The session
 * is locked first, so the bytes of a step are subtracted once if two replicas purge.
 * @returns the number of steps that were purged; 0 if none is left to purge
 */
export async function purgeSteps(db: Queries, input: PurgeStepsInput): Promise<number> {
  const { steps, artifacts } = await purgePortion(db, input);
  // Apart from the purge, which locks the session. A session that is deleted gives back all its bytes at the end.
  if (artifacts > 0 && input.upTo !== 'all') await db.transaction((tx) => recountKeptBytes(tx, input));
  return steps;
}

type Purged = { steps: number; artifacts: number };

async function purgePortion({ sql }: Queries, { sessionId, upTo, keySeconds }: PurgeStepsInput): Promise<Purged> {
  const isAll = upTo === 'all';
  const [purged] = await sql<Purged[]>`
    with bound as materialized (
      select id, purged_step_number as earlier, least(${isAll ? numberMax : upTo}::int, step_count, (
        select min(number) - 1 from steps where session_id = sessions.id and replica_id is not null
      )) as number
      from sessions where id = ${sessionId} for update
    ), oldest as (
      select steps.id, steps.number, octet_length(code) + coalesce(octet_length(events), 0) as bytes,
        fingerprint is not null and not ${isAll}
          and coalesce(finished_at > now() - ${keySeconds}::float8 * interval '1 second', false) as is_key_valid
      from steps join bound on steps.session_id = bound.id
      where steps.number <= bound.number and (steps.number > bound.earlier or ${isAll})
      order by steps.number limit ${stepsMax}
    ), portion as (
      select id, number, bytes, is_key_valid from (
        select *, sum(bytes) over (order by number) - bytes as before from oldest
      ) as summed
      where before < ${bytesMax}
    ), counted as (
      update sessions set
        purged_step_number = coalesce((select max(number) from portion), bound.number),
        history_bytes = greatest(0, history_bytes - coalesce((select sum(bytes) from portion), 0))
      from bound where sessions.id = bound.id and sessions.purged_step_number < bound.number
    ), emptied as (
      update steps set
        is_forgotten = true, code = '', events = null, truncated = false, exit_code = null, status = 'lost',
        outcome = jsonb_build_object(
          'tag', 'error', 'kind', 'runtime-error', 'stateSurvived', case when job is null then false end),
        cause = jsonb_build_object('code', 'result_forgotten', 'message', 'it ended as ' || status || ', and its record was purged')
      from portion where steps.id = portion.id and is_key_valid
    ), gone as (
      delete from steps using portion where steps.id = portion.id and not is_key_valid
    ), with_them as (
      delete from artifacts using portion where artifacts.step_id = portion.id returning artifacts.id
    ), called as (
      delete from operations using portion where operations.step_id = portion.id
    ), answered as (
      delete from kept_answers using portion where kept_answers.step_id = portion.id
    )
    select (select count(*)::int from portion) as steps, (select count(*)::int from with_them) as artifacts`;
  return purged ?? { steps: 0, artifacts: 0 };
}
