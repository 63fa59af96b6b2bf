import type { Queries } from '../queries.ts';
import { replicaStaleSeconds } from '../replicas/beat-replica.ts';

/**
 * Sessions with a sandbox whose world may differ from the working copy and that no other live replica is writing to, the one that was claimed
 * longest ago first.
 */
export async function listUnsettledWorlds(
  { sql }: Queries,
  { replicaId, limit }: { replicaId: string; limit: number },
): Promise<string[]> {
  const rows = await sql<{ sessionId: string }[]>`
    select w.session_id as "sessionId" from worlds w join sessions s on s.id = w.session_id
    where (w.writer is not null or w.is_unsettled) and s.status in ('active', 'budget_exceeded')
      and (w.writer is null or w.replica_id = ${replicaId} or not exists (
        select from replicas r where r.id = w.replica_id and r.heartbeat_at >= now() - ${replicaStaleSeconds} * interval '1 second'
      ))
      -- The changes of a step that has not ended are to become its own proposal, and not one of the comparison.
      and not (coalesce((s.policy -> 'world' ->> 'proposalMode')::boolean, false) and exists (
        select from steps where session_id = s.id and finished_at is null
      ))
    order by w.claimed_at limit ${limit}`;
  return rows.map(({ sessionId }) => sessionId);
}

/** Since when a session's world may lack changes of the working copy; null if it has all of them. */
export async function findUnsettledSince({ sql }: Queries, { sessionId }: { sessionId: string }): Promise<Date | null> {
  const [row] = await sql<{ claimedAt: Date }[]>`
    select claimed_at as "claimedAt" from worlds
    where session_id = ${sessionId} and (writer is not null or is_unsettled)`;
  return row?.claimedAt ?? null;
}
