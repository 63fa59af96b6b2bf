import { Problem } from '@holdfast/specs/public';
import type { Database } from '../../registry/connect.ts';
import { type RoomInput, readRoom, type StorageLimits } from '../../registry/tenants/read-room.ts';

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

export function storageFull(
  limit: 'session-limit' | 'tenant-limit',
  { keptSessionBytesMax, keptTenantBytesMax }: StorageLimits,
): Problem {
  const detail =
    limit === 'session-limit'
      ? `the files and artifacts of a session may have at most ${keptSessionBytesMax} bytes together`
      : `the files and artifacts of all sessions of a tenant, ended ones included, may have at most ${keptTenantBytesMax} bytes together; delete a session to make room`;
  return new Problem('workspace-full', { detail });
}
