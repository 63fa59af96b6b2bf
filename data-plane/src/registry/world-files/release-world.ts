import type { Queries } from '../queries.ts';
import type { WorldClaim } from './claim-world.ts';

/** Releases the lock of a session's world; `isUnsettled` says whether the mark stays. False if the claim is no longer valid. */
export async function releaseWorld({ sql }: Queries, { sessionId, writer, isUnsettled }: WorldClaim): Promise<boolean> {
  const released = await sql`
    update worlds set writer = null, replica_id = null, reserved_bytes = 0, is_unsettled = ${isUnsettled}
    where session_id = ${sessionId} and writer = ${writer}
    returning session_id`;
  return released.length > 0;
}
