import type { Queries } from '../queries.ts';
import type { WorldClaim } from './claim-world.ts';

/**
 * Reserves bytes for the write that has the claim, instead of those that it reserved before. The reservation ends with the claim, and
 * counts no longer when the claim's replica is gone. Between `lockTenant` and this, `readRoom` says how much is left.
 */
export async function reserveRoom(
  { sql }: Queries,
  { claim: { sessionId, writer }, bytes }: { claim: WorldClaim; bytes: number },
): Promise<void> {
  await sql`
    update worlds set reserved_bytes = ${bytes}::int8 where session_id = ${sessionId} and writer = ${writer}`;
}
