import type { Queries } from '../queries.ts';
import type { StepRecord } from './record-steps.ts';

/** An unfinished step that was just reassigned to this replica. */
export type ReassignedStep = Pick<
  StepRecord,
  'id' | 'sessionId' | 'contextId' | 'epoch' | 'actor' | 'language' | 'code' | 'job' | 'queuedAt' | 'timeoutMs'
>;

/** Longer than any of our own steps goes without a follower: between its row and its follower there is only one reply. */
const ownUnfollowedSeconds = 10;

type ReassignStepsInput = {
  replicaId: string;
  /** The steps that this replica follows. */
  following: string[];
  staleSeconds: number;
  limit: number;
};

/**
 * Assigns steps without a follower to this replica: those of replicas without a heartbeat, and those that this replica lost because a
 * reply never came. This is one conditional update, so each step goes to one replica.
 */
export async function reassignSteps(
  { sql }: Queries,
  { replicaId, following, staleSeconds, limit }: ReassignStepsInput,
): Promise<ReassignedStep[]> {
  return await sql<ReassignedStep[]>`
    update steps set replica_id = ${replicaId}
    where id in (
      select s.id from steps s
      where s.replica_id is not null and s.status in ('queued', 'running') and case
        when s.replica_id = ${replicaId} then
          s.queued_at < now() - ${ownUnfollowedSeconds}::float8 * interval '1 second'
          and not s.id = any(${following}::text[])
        else not exists (
          select from replicas r
          where r.id = s.replica_id and r.heartbeat_at > now() - ${staleSeconds}::float8 * interval '1 second')
        end
      limit ${limit} for update skip locked)
    returning
      id, session_id as "sessionId", context_id as "contextId", epoch, actor, language, code, job, queued_at as "queuedAt",
      timeout_ms as "timeoutMs"`;
}
