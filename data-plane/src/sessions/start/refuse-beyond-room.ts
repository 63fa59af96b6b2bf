import type { Database } from '../../registry/connect.ts';
import { type RoomInput, readRoom, type StorageLimits } from '../../registry/tenants/read-room.ts';
import { storageFull } from '../../registry/tenants/storage-full.ts';

export type RoomDependencies = { db: Database; limits: StorageLimits };

/**
 * Refuses files that a session, which need not exist yet, cannot store.
 * @throws Problem 507
 */
export async function refuseBeyondRoom(
  { db, limits }: RoomDependencies,
  { bytes, ...key }: Omit<RoomInput, 'limits'> & { bytes: number },
): Promise<void> {
  if (bytes === 0) return;
  const room = await readRoom(db, { ...key, limits });
  if (bytes > room.session) throw storageFull('session-limit', limits);
  if (bytes > room.tenant) throw storageFull('tenant-limit', limits);
}
