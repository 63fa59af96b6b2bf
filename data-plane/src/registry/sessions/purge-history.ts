import type { Queries } from '../queries.ts';

type PurgeHistoryInput = {
  /** A session keeps its latest so many steps. */
  stepsPerSessionMax: number;
  /** For how long ended sessions stay readable, and tombstones after them. */
  retentionSeconds: number;
};

/** How many rows went. Sessions go in batches: more may be left where `sessions` is `batch`. */
export type Purged = { steps: number; sessions: number; tombstones: number; idempotencyKeys: number };

const batch = 100;

/** Removes what is beyond the history's limits, artifacts with their steps. Unfinished steps, and sessions whose sandbox is not known to be gone, stay.
 * Replicas that have been silent for a day are forgotten. */
export async function purgeHistory(
  { sql }: Queries,
  { stepsPerSessionMax, retentionSeconds }: PurgeHistoryInput,
): Promise<Purged> {
  const [steps] = await sql<{ count: number }[]>`
    with capped as (
      update sessions set purged_step_number = bound.number
      from (
        select id, least(step_count - ${stepsPerSessionMax}::int, (
          select min(number) - 1 from steps where session_id = sessions.id and replica_id is not null
        )) as number
        from sessions where step_count - purged_step_number > ${stepsPerSessionMax}::int
      ) as bound
      where sessions.id = bound.id and bound.number > sessions.purged_step_number
      returning sessions.id, purged_step_number
    ), gone as (
      delete from steps using capped
      where session_id = capped.id and number <= capped.purged_step_number and replica_id is null
      returning steps.id
    ), with_them as (
      delete from artifacts using gone where artifacts.step_id = gone.id
    )
    select count(*)::int as count from gone`;
  const sessions = await sql`
    with old as (
      select id from sessions
      where sandbox_gone_at is not null and ended_at < now() - ${retentionSeconds} * interval '1 second'
      order by ended_at limit ${batch} for update skip locked
    ), gone as (
      delete from sessions using old where sessions.id = old.id returning sessions.id, tenant
    )
    insert into tombstones (session_id, tenant) select id, tenant from gone
    on conflict (session_id) do nothing`;
  const tombstones = await sql`
    delete from tombstones where deleted_at < now() - ${retentionSeconds} * interval '1 second'`;
  await sql`delete from replicas where heartbeat_at < now() - interval '24 hours'`;
  const idempotencyKeys = await sql`delete from idempotency_keys where created_at < now() - interval '24 hours'`;
  return {
    steps: steps?.count ?? 0,
    sessions: sessions.count,
    tombstones: tombstones.count,
    idempotencyKeys: idempotencyKeys.count,
  };
}
