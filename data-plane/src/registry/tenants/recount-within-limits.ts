import type { Queries } from '../queries.ts';
import { readRoom, type StorageLimits } from './read-room.ts';
import { recountKeptBytes } from './recount-kept-bytes.ts';
import { storageFull } from './storage-full.ts';

/**
 * Ends a transaction that added contents to a session: counts its bytes, and refuses them if they exceed a limit. A change that needs no
 * more bytes than before is accepted even if a limit was lowered.
 * @throws Problem 507, which rolls the transaction back
 */
export async function recountWithinLimits(
  tx: Queries,
  { sessionId, tenant, limits }: { sessionId: string; tenant: string; limits: StorageLimits },
): Promise<void> {
  const added = await recountKeptBytes(tx, { sessionId });
  if (added <= 0) return;
  // The row of the tenant is locked now, so no other transaction reserves or counts bytes until this one has ended.
  const { session, tenant: ofTenant, reserved } = await readRoom(tx, { tenant, sessionId, limits });
  if (session < reserved) throw storageFull('session-limit', limits);
  if (ofTenant < reserved) throw storageFull('tenant-limit', limits);
}
