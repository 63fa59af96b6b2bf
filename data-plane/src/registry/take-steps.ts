import type { Database } from './connect.ts';
import type { StepRecord } from './record-steps.ts';

/** An unfinished step whose replica is gone, now this replica's. */
export type TakenStep = Pick<
  StepRecord,
  'id' | 'sessionId' | 'contextId' | 'epoch' | 'actor' | 'language' | 'code' | 'queuedAt' | 'timeoutMs'
>;

/** Takes over steps of replicas that have no heartbeat any more: one conditional update, so that each goes to one replica. */
export async function takeSteps(
  { sql }: Database,
  { replicaId, staleSeconds, limit }: { replicaId: string; staleSeconds: number; limit: number },
): Promise<TakenStep[]> {
  return await sql<TakenStep[]>`
    update steps set replica_id = ${replicaId}
    where id in (
      select s.id from steps s
      where s.replica_id is not null and s.status in ('queued', 'running') and not exists (
        select from replicas r
        where r.id = s.replica_id and r.heartbeat_at > now() - ${staleSeconds}::float8 * interval '1 second')
      limit ${limit} for update skip locked)
    returning
      id, session_id as "sessionId", context_id as "contextId", epoch, actor, language, code, queued_at as "queuedAt",
      timeout_ms as "timeoutMs"`;
}
