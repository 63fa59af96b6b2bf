import type { Queries } from '../queries.ts';
import { replicaStaleSeconds } from '../replicas/beat-replica.ts';

/** The bytes of files that one session and that all sessions of a tenant may store. */
export type StorageLimits = { keptSessionBytesMax: number; keptTenantBytesMax: number };

/** The bytes that a session and its tenant may still store. Negative if a limit was lowered. */
export type Room = { session: number; tenant: number };

export type RoomInput = { tenant: string; sessionId: string; limits: StorageLimits };

/**
 * The room of a session, which need not exist yet. Bytes that other sessions of the tenant are about to store count as stored, as long
 * as the replica that stores them is alive. `reserved` has those of the session itself, whose write may ask for this.
 */
export async function readRoom(
  { sql }: Queries,
  { tenant, sessionId, limits }: RoomInput,
): Promise<Room & { reserved: number }> {
  const [room] = await sql<(Room & { reserved: number })[]>`
    with reserved as (
      select
        coalesce(sum(w.reserved_bytes) filter (where s.id = ${sessionId}), 0)::int8 as own,
        coalesce(sum(w.reserved_bytes) filter (where s.id <> ${sessionId}), 0)::int8 as of_others
      from worlds w join sessions s on s.id = w.session_id
      where w.reserved_bytes > 0 and s.tenant = ${tenant} and exists (
        select from replicas r
        where r.id = w.replica_id and r.heartbeat_at >= now() - ${replicaStaleSeconds} * interval '1 second'
      )
    )
    select
      (${limits.keptSessionBytesMax}::int8 - coalesce((select bytes from session_storage where session_id = ${sessionId}), 0))::float8
        as session,
      (${limits.keptTenantBytesMax}::int8 - coalesce((select kept_bytes from tenants where tenant = ${tenant}), 0) - of_others)::float8
        as tenant,
      own::float8 as reserved
    from reserved`;
  return room as Room & { reserved: number };
}
