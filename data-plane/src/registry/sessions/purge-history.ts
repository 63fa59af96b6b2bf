import { purgeMcpSessions } from '../mcp-sessions/purge-mcp-sessions.ts';
import { purgePorts } from '../ports/purge-ports.ts';
import type { Queries } from '../queries.ts';
import { purgeSteps } from '../steps/purge-steps.ts';
import { purgeDeliveries } from '../webhooks/purge-deliveries.ts';
import { deleteSession, untilNoneIsLeft } from './delete-session.ts';
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
  webhookDeliverySeconds: number;
  closedPortSeconds: number;
  mcpSessionSeconds: number;
};

/** The number of rows purged. Sessions go in batches: if `sessions` is `batch`, more may be left. */
type Purged = { steps: number; sessions: number; tombstones: number; idempotencyKeys: number };

const batch = 100;
const portion = 2000;

/**
 * Purges everything beyond the limits, artifacts with their steps. Unfinished steps stay, and so do sessions whose sandbox is not
 * known to be gone. If a tenant has too many bytes, the sessions without activity for longest lose their steps first. A step that came
 * with an Idempotency-Key is emptied first, and deleted when its key no longer counts: a repeat must not seem to be a request for a step
 * that never ran. Each statement purges a portion, so none takes long or holds locks for long.
 */
export async function purgeHistory(
  queries: Queries,
  { stepsPerSessionMax, bytesPerSessionMax, bytesPerTenantMax, ...seconds }: PurgeHistoryInput,
): Promise<Purged> {
  const { sql } = queries;
  const purged: Purged = { steps: 0, sessions: 0, tombstones: 0, idempotencyKeys: 0 };
  const bounds = await boundsOf(queries, { stepsPerSessionMax, bytesPerSessionMax, bytesPerTenantMax });
  for (const { sessionId, number } of bounds) {
    purged.steps += await untilNoneIsLeft(() =>
      purgeSteps(queries, { sessionId, upTo: number, keySeconds: seconds.idempotencyKeySeconds }),
    );
  }
  await untilNoneIsLeft(async () => {
    const { count } = await sql`
      delete from steps where id in (
        select id from steps
        where is_forgotten and finished_at <= now() - ${seconds.idempotencyKeySeconds} * interval '1 second' limit ${portion}
      )`;
    return count;
  });
  const old = await sql<{ id: string }[]>`
    select id from sessions
    where sandbox_gone_at is not null and status = any (${endedStatuses}::text[])
      and ended_at < now() - ${seconds.sessionSeconds} * interval '1 second'
    order by ended_at limit ${batch}`;
  for (const { id } of old) purged.sessions += (await deleteSession(queries, { id })) ? 1 : 0;
  purged.tombstones = await untilNoneIsLeft(async () => {
    const { count } = await sql`
      delete from tombstones where session_id in (
        select session_id from tombstones where deleted_at < now() - ${seconds.tombstoneSeconds} * interval '1 second' limit ${portion}
      )`;
    return count;
  });
  await sql`
    delete from replicas where heartbeat_at < now() - ${seconds.silentReplicaSeconds} * interval '1 second'`;
  await untilNoneIsLeft(() => purgeDeliveries(queries, { seconds: seconds.webhookDeliverySeconds }));
  await untilNoneIsLeft(() => purgePorts(queries, { seconds: seconds.closedPortSeconds }));
  await untilNoneIsLeft(() => purgeMcpSessions(queries, { seconds: seconds.mcpSessionSeconds }));
  purged.idempotencyKeys = await untilNoneIsLeft(async () => {
    const { count } = await sql`
      delete from idempotency_keys where (tenant, key) in (
        select tenant, key from idempotency_keys
        where created_at < now() - ${seconds.idempotencyKeySeconds} * interval '1 second' limit ${portion}
      )`;
    return count;
  });
  return purged;
}

type Limits = Pick<PurgeHistoryInput, 'stepsPerSessionMax' | 'bytesPerSessionMax' | 'bytesPerTenantMax'>;

/** The sessions beyond a limit, each with the number of the latest step to purge. Locks nothing. */
async function boundsOf(
  { sql }: Queries,
  { stepsPerSessionMax, bytesPerSessionMax, bytesPerTenantMax }: Limits,
): Promise<{ sessionId: string; number: number }[]> {
  const bytes = sql`(octet_length(code) + coalesce(octet_length(events), 0))`;
  return await sql`
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
    )
    select id as "sessionId", greatest(step_count - ${stepsPerSessionMax}::int, (
      select max(number) from (
        select number, sum(${bytes}) over (order by number) - ${bytes} as of_older from steps where session_id = usage.id
      ) as sized
      where of_older < usage.excess
    )) as number
    from usage where step_count - purged_step_number > ${stepsPerSessionMax}::int or excess > 0`;
}
