import type { Queries } from '../queries.ts';
import { endedStatuses } from './live-statuses.ts';

/** See `sessions/retention.ts`. */
type PurgeHistoryInput = {
  /** Steps stored per session; older ones are purged. */
  stepsPerSessionMax: number;
  sessionSeconds: number;
  tombstoneSeconds: number;
  idempotencyKeySeconds: number;
  silentReplicaSeconds: number;
};

/** The number of rows purged. Sessions go in batches: if `sessions` is `batch`, more may be left. */
type Purged = { steps: number; sessions: number; tombstones: number; idempotencyKeys: number };

const batch = 100;

/**
 * Purges everything beyond the limits, artifacts with their steps. Unfinished steps stay, and so do sessions whose sandbox is not
 * known to be gone.
 */
export async function purgeHistory(
  { sql }: Queries,
  { stepsPerSessionMax, ...seconds }: PurgeHistoryInput,
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
      where sandbox_gone_at is not null and status = any (${endedStatuses}::text[]) and ended_at < now() - ${seconds.sessionSeconds} * interval '1 second'
      order by ended_at limit ${batch} for update skip locked
    ), gone as (
      delete from sessions using old where sessions.id = old.id returning sessions.id, tenant
    )
    insert into tombstones (session_id, tenant) select id, tenant from gone
    on conflict (session_id) do nothing`;
  const tombstones = await sql`
    delete from tombstones where deleted_at < now() - ${seconds.tombstoneSeconds} * interval '1 second'`;
  await sql`
    delete from replicas where heartbeat_at < now() - ${seconds.silentReplicaSeconds} * interval '1 second'`;
  const idempotencyKeys = await sql`
    delete from idempotency_keys where created_at < now() - ${seconds.idempotencyKeySeconds} * interval '1 second'`;
  return {
    steps: steps?.count ?? 0,
    sessions: sessions.count,
    tombstones: tombstones.count,
    idempotencyKeys: idempotencyKeys.count,
  };
}
