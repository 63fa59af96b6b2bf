import type { Queries } from '../queries.ts';

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
 * known to be gone. A step that came with an Idempotency-Key is emptied first, and deleted when its key no longer counts: a repeat must
 * not look like a request for a step that never ran.
 */
export async function purgeHistory(
  { sql }: Queries,
  { stepsPerSessionMax, ...seconds }: PurgeHistoryInput,
): Promise<Purged> {
  const keysSince = sql`(now() - ${seconds.idempotencyKeySeconds}::float8 * interval '1 second')`;
  const [steps] = await sql<{ count: number }[]>`
    with capped as (
      update sessions set purged_step_number = bound.number
      from (
        select id, purged_step_number as earlier, least(step_count - ${stepsPerSessionMax}::int, (
          select min(number) - 1 from steps where session_id = sessions.id and replica_id is not null
        )) as number
        from sessions where step_count - purged_step_number > ${stepsPerSessionMax}::int
      ) as bound
      where sessions.id = bound.id and bound.number > sessions.purged_step_number
      returning sessions.id, earlier, purged_step_number
    ), purged as (
      select steps.id, fingerprint is not null and coalesce(finished_at > ${keysSince}, false) as is_key_valid
      from steps join capped on session_id = capped.id
      where number > earlier and number <= purged_step_number and replica_id is null
    ), emptied as (
      update steps set
        is_forgotten = true, code = '', events = null, truncated = false, status = 'lost',
        outcome = '{"tag": "error", "kind": "runtime-error", "stateSurvived": false}',
        cause = jsonb_build_object('code', 'result_forgotten', 'message', 'it ended as ' || status || ', and its record was purged')
      from purged where steps.id = purged.id and is_key_valid
    ), gone as (
      delete from steps using purged where steps.id = purged.id and not is_key_valid
    ), with_them as (
      delete from artifacts using purged where artifacts.step_id = purged.id
    )
    select count(*)::int as count from purged`;
  await sql`delete from steps where is_forgotten and finished_at <= ${keysSince}`;
  const sessions = await sql`
    with old as (
      select id from sessions
      where sandbox_gone_at is not null and ended_at < now() - ${seconds.sessionSeconds} * interval '1 second'
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
    delete from idempotency_keys where created_at < ${keysSince}`;
  return {
    steps: steps?.count ?? 0,
    sessions: sessions.count,
    tombstones: tombstones.count,
    idempotencyKeys: idempotencyKeys.count,
  };
}
