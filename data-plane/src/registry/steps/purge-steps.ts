import type { Queries } from '../queries.ts';

/** A portion takes well under a second: so many steps, or those whose events begin within so many bytes. */
const stepsMax = 500;
const bytesMax = 32 * 1024 * 1024;

/**
 * Purges the oldest steps of a session but for the latest `keep`, with their artifacts, in one portion. An unfinished step stays, with
 * all that follow it.
 * @returns the number of steps that were purged; 0 if none is left to purge
 */
export async function purgeSteps(
  { sql }: Queries,
  { sessionId, keep }: { sessionId: string; keep: number },
): Promise<number> {
  const [purged] = await sql<{ count: number }[]>`
    with bound as materialized (
      select id, least(step_count - ${keep}::int, (
        select min(number) - 1 from steps where session_id = sessions.id and replica_id is not null
      )) as number
      from sessions where id = ${sessionId} for update
    ), oldest as (
      select steps.id, steps.number, coalesce(octet_length(events), 0) as bytes
      from steps join bound on steps.session_id = bound.id and steps.number <= bound.number
      order by steps.number limit ${stepsMax}
    ), portion as (
      select id, number from (select id, number, sum(bytes) over (order by number) - bytes as before from oldest) as summed
      where before < ${bytesMax}
    ), counted as (
      update sessions set purged_step_number = coalesce((select max(number) from portion), bound.number)
      from bound where sessions.id = bound.id and sessions.purged_step_number < bound.number
    ), gone as (
      delete from steps using portion where steps.id = portion.id returning steps.id
    ), with_them as (
      delete from artifacts using gone where artifacts.step_id = gone.id
    )
    select count(*)::int as count from gone`;
  return purged?.count ?? 0;
}
