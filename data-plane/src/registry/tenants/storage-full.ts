import { Problem } from '@holdfast/specs/public';
import type { StorageLimits } from './read-room.ts';

/** The refusal of bytes for which a session, or its tenant, has no room. */
export function storageFull(
  limit: 'session-limit' | 'tenant-limit',
  { keptSessionBytesMax, keptTenantBytesMax }: StorageLimits,
): Problem {
  const detail =
    limit === 'session-limit'
      ? `the files, artifacts and snapshots of a session may have at most ${keptSessionBytesMax} bytes together`
      : `the files, artifacts and snapshots of all sessions of a tenant, ended ones included, may have at most ${keptTenantBytesMax} bytes together; delete a session or a snapshot to make room`;
  return new Problem('workspace-full', { detail });
}
