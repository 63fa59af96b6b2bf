import type { Queries } from '../queries.ts';
import { replicaLateSeconds } from '../replicas/beat-replica.ts';
import type { StepRecord } from './record-steps.ts';
import type { UnsentStep } from './withdraw-step.ts';

/** An unfinished step that was just reassigned to this replica. */
export type ReassignedStep = Pick<
  StepRecord,
  | 'id'
  | 'sessionId'
  | 'contextId'
  | 'epoch'
  | 'actor'
  | 'keyId'
  | 'actorName'
  | 'language'
  | 'code'
  | 'job'
  | 'queuedAt'
  | 'timeoutMs'
  | 'budgetId'
  | 'isCutByBudget'
  | 'parentStepId'
  | 'isSilent'
  | 'expressions'
> &
  Admission;

/** One row of a step: a step that was withdrawn may be admitted anew, here or by another replica. */
export type Admission = Pick<UnsentStep, 'id' | 'admissionId'>;

/** Longer than any of our own steps goes without a follower: between its row and its follower there is only one reply. */
const ownUnfollowedSeconds = 10;

type ReassignStepsInput = {
  replicaId: string;
  /** The steps that this replica follows. */
  following: string[];
  /** The rows of steps that it may still send or withdraw. */
  unsent: Admission[];
  staleSeconds: number;
  limit: number;
};

/**
 * Assigns steps without a follower to this replica: those of replicas that are gone or have no heartbeat, and those that this replica
 * lost because a reply never came. This is one conditional update, so each step goes to one replica. All times are the database's.
 *
 * While the database answers no one, all heartbeats become old. So a replica judges the heartbeats of others only after its own was
 * never late for as long: by then every replica that lives has sent one.
 */
export async function reassignSteps(
  { sql }: Queries,
  { replicaId, following, unsent, staleSeconds, limit }: ReassignStepsInput,
): Promise<ReassignedStep[]> {
  return await sql<ReassignedStep[]>`
    with judge as materialized (
      select from replicas where id = ${replicaId}
        and heartbeat_at > now() - ${replicaLateSeconds}::float8 * interval '1 second'
        and beating_since <= now() - ${staleSeconds}::float8 * interval '1 second'
    )
    update steps set replica_id = ${replicaId}, assigned_at = now()
    where id in (
      select s.id from steps s left join replicas r on r.id = s.replica_id
      where s.replica_id is not null and s.status in ('queued', 'running') and case
        when s.replica_id = ${replicaId} then
          s.assigned_at < now() - ${ownUnfollowedSeconds}::float8 * interval '1 second'
          and not s.id = any(${following}::text[]) and not exists (
            select from jsonb_to_recordset(${JSON.stringify(unsent)}::text::jsonb) as u(id text, "admissionId" text)
            where u.id = s.id and u."admissionId" is not distinct from s.admission_id
          )
        when r.id is null then true
        else r.heartbeat_at <= now() - ${staleSeconds}::float8 * interval '1 second' and exists (select from judge)
        end
      limit ${limit} for update of s skip locked)
    returning
      id, session_id as "sessionId", context_id as "contextId", epoch, actor, actor_name as "actorName", key_id as "keyId", language, code, job, queued_at as "queuedAt",
      timeout_ms as "timeoutMs", parent_step_id as "parentStepId", is_silent as "isSilent", expressions, admission_id as "admissionId", budget_id as "budgetId",
      is_cut_by_budget as "isCutByBudget"`;
}
