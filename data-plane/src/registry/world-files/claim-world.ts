import type { Queries } from '../queries.ts';
import { replicaStaleSeconds } from '../replicas/beat-replica.ts';

/** The right of one write to change the world of a session, until it is released. */
export type WorldClaim = {
  sessionId: string;
  writer: string;
  /** Whether world and working copy may differ because of an earlier write. */
  isUnsettled: boolean;
};

type ClaimInput = Pick<WorldClaim, 'sessionId' | 'writer'> & { replicaId: string };

/**
 * Takes the lock of a session's world, and with it marks the world as unsettled until the claim is released. A replica runs one write
 * of a session at a time, so a claim of its own that is still there was never released. May be repeated.
 *
 * @returns `held` if another replica, which is alive, has the lock; null if the session is gone
 */
export async function claimWorld(
  { sql }: Queries,
  { sessionId, writer, replicaId }: ClaimInput,
): Promise<WorldClaim | 'held' | null> {
  const [row] = await sql<{ isUnsettled: boolean | null }[]>`
    with claimed as (
      insert into worlds as w (session_id, writer, replica_id)
      select id, ${writer}, ${replicaId} from sessions where id = ${sessionId}
      on conflict (session_id) do update set
        writer = excluded.writer, replica_id = excluded.replica_id, claimed_at = now(), reserved_bytes = 0,
        is_unsettled = w.is_unsettled or (w.writer is not null and w.writer <> excluded.writer)
      where w.writer is null or w.replica_id = excluded.replica_id or not exists (
        select from replicas r where r.id = w.replica_id and r.heartbeat_at >= now() - ${replicaStaleSeconds} * interval '1 second'
      )
      returning is_unsettled
    )
    select (select is_unsettled from claimed) as "isUnsettled" from sessions where id = ${sessionId}`;
  if (!row) return null;
  return row.isUnsettled === null ? 'held' : { sessionId, writer, isUnsettled: row.isUnsettled };
}

/** Whether the claim is still valid. */
export async function holdsWorld({ sql }: Queries, { sessionId, writer }: WorldClaim): Promise<boolean> {
  const held = await sql`select from worlds where session_id = ${sessionId} and writer = ${writer}`;
  return held.length > 0;
}
