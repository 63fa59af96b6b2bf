import type { Queries } from '../queries.ts';
import { endedStatuses } from './live-statuses.ts';

/** See `sessions/retention.ts`. */
type PurgeHistoryInput = {
  /** Steps stored per session, and bytes of their code and events per session and per tenant; older steps are purged. */
  stepsPerSessionMax: number;
  bytesPerSessionMax: number;
  bytesPerTenantMax: number;
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
 * known to be gone. If a tenant has too many bytes, the sessions without activity for longest lose their steps first.
 * Sessions are locked in the order of their ids, as by those who record steps.
 */
export async function purgeHistory(
  { sql }: Queries,
  { stepsPerSessionMax, bytesPerSessionMax, bytesPerTenantMax, ...seconds }: PurgeHistoryInput,
): Promise<Purged> {
  const bytes = sql`(octet_length(code) + coalesce(octet_length(events), 0))`;
  const [steps] = await sql<{ count: number }[]>`
    with usage as (
      select *, greatest(
        history_bytes - ${bytesPerSessionMax}::int8,
        least(history_bytes, of_tenant - ${bytesPerTenantMax}::int8 - of_idler)
      ) as excess
      from (
        select id, step_count, purged_step_number, history_bytes,
          sum(history_bytes) over (partition by tenant) as of_tenant,
          sum(history_bytes) over (partition by tenant order by last_activity_at, id) - history_bytes as of_idler
        from sessions
      ) as counted
    ), bound as (
      select id, least(
        greatest(step_count - ${stepsPerSessionMax}::int, (
          select max(number) from (
            select number, sum(${bytes}) over (order by number) - ${bytes} as of_older from steps where session_id = usage.id
          ) as sized
          where of_older < usage.excess
        )),
        (select min(number) - 1 from steps where session_id = usage.id and replica_id is not null)
      ) as number
      from usage where step_count - purged_step_number > ${stepsPerSessionMax}::int or excess > 0
    ), locked as materialized (
      select id from sessions where id in (select id from bound) order by id for update
    ), capped as (
      update sessions set purged_step_number = bound.number, history_bytes = greatest(0, history_bytes - (
        select coalesce(sum(${bytes}), 0) from steps
        where session_id = bound.id and number > sessions.purged_step_number and number <= bound.number
      ))
      from bound join locked on locked.id = bound.id
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
