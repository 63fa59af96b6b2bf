import { columnsOf } from '../columns-of.ts';
import type { Queries } from '../queries.ts';
import { replicaLateSeconds } from '../replicas/beat-replica.ts';
import { type ProcessRow, processes } from '../schema/processes.ts';

/** Longer than any process of this replica goes without a follower: between its row and its follower there is only one reply. */
const ownUnfollowedSeconds = 10;

type ReassignInput = {
  replicaId: string;
  /** The processes that this replica follows. */
  following: string[];
  staleSeconds: number;
  limit: number;
};

/**
 * Assigns processes without a follower to this replica: those of replicas that are gone or have no heartbeat, and those that this replica lost
 * because a reply never came. Heartbeats are judged as in `reassign-steps.ts`.
 */
export async function reassignProcesses(
  { sql }: Queries,
  { replicaId, following, staleSeconds, limit }: ReassignInput,
): Promise<ProcessRow[]> {
  return await sql<ProcessRow[]>`
    with judge as materialized (
      select from replicas where id = ${replicaId}
        and heartbeat_at > now() - ${replicaLateSeconds}::float8 * interval '1 second'
        and beating_since <= now() - ${staleSeconds}::float8 * interval '1 second'
    )
    update processes set replica_id = ${replicaId}, assigned_at = now()
    where id in (
      select p.id from processes p left join replicas r on r.id = p.replica_id
      where p.replica_id is not null and p.status = 'running' and case
        when p.replica_id = ${replicaId} then
          p.assigned_at < now() - ${ownUnfollowedSeconds}::float8 * interval '1 second' and not p.id = any(${following}::text[])
        when r.id is null then true
        else r.heartbeat_at <= now() - ${staleSeconds}::float8 * interval '1 second' and exists (select from judge)
        end
      limit ${limit} for update of p skip locked)
    returning ${sql.unsafe(columnsOf(processes))}`;
}
