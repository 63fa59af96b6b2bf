import type { Queries } from '../queries.ts';
import { purgeSteps } from '../steps/purge-steps.ts';
import { deleteSession, untilNoneIsLeft } from './delete-session.ts';

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
const portion = 2000;

/**
 * Purges everything beyond the limits, artifacts with their steps. Unfinished steps stay, and so do sessions whose sandbox is not
 * known to be gone. Each statement purges a portion, so none takes long or holds locks for long.
 */
export async function purgeHistory(
  queries: Queries,
  { stepsPerSessionMax, ...seconds }: PurgeHistoryInput,
): Promise<Purged> {
  const { sql } = queries;
  const purged: Purged = { steps: 0, sessions: 0, tombstones: 0, idempotencyKeys: 0 };
  const capped = await sql<{ id: string }[]>`
    select id from sessions where step_count - purged_step_number > ${stepsPerSessionMax}::int`;
  for (const { id } of capped) {
    purged.steps += await untilNoneIsLeft(() => purgeSteps(queries, { sessionId: id, keep: stepsPerSessionMax }));
  }
  const old = await sql<{ id: string }[]>`
    select id from sessions
    where sandbox_gone_at is not null and ended_at < now() - ${seconds.sessionSeconds} * interval '1 second'
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
