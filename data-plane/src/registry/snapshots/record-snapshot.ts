import { type NewAuditEntry, recordAudit } from '../audit/record-audit.ts';
import type { Queries } from '../queries.ts';
import { boundLocks } from '../tenants/lock-tenant.ts';
import type { StorageLimits } from '../tenants/read-room.ts';
import { recountWithinLimits } from '../tenants/recount-within-limits.ts';
import { lockWorldVersion } from '../world-files/world-version.ts';
import { type InsertedSnapshot, insertAndReplace, type NewSnapshot } from './insert-snapshot.ts';

type RecordInput = {
  snapshot: NewSnapshot;
  /** The version of the world whose files belong to the state; null if it has no files. */
  worldVersion: string | null;
  limits: StorageLimits;
  /** For the audit log, if a client asked for the snapshot. */
  entry?: NewAuditEntry | undefined;
};

/**
 * Records a snapshot that was taken, and the files that belong to it, if there is room.
 * @returns null if the session is not live in this epoch; `files-changed` if the world has another version by now
 * @throws Problem 507
 */
export async function recordSnapshot(
  { transaction }: Queries,
  { snapshot, worldVersion, limits, entry }: RecordInput,
): Promise<InsertedSnapshot | 'files-changed' | null> {
  const { id, sessionId } = snapshot;
  return await transaction(async (tx) => {
    if (worldVersion !== null) {
      await boundLocks(tx);
      if (!(await lockWorldVersion(tx, { sessionId, version: worldVersion }))) return 'files-changed';
    }
    const inserted = await insertAndReplace(tx, snapshot);
    if (!inserted) return null;
    if (worldVersion !== null) {
      await tx.sql`
        insert into snapshot_files (snapshot_id, path, size, sha256, executable, mode, target)
        select ${id}, path, size, sha256, executable, mode, target from world_files where session_id = ${sessionId}`;
      await tx.sql`
        insert into snapshot_directories (snapshot_id, path)
        select ${id}, path from world_directories where session_id = ${sessionId}`;
    }
    await recountWithinLimits(tx, { sessionId, tenant: inserted.tenant, limits });
    if (entry) await recordAudit(tx, entry);
    return inserted;
  });
}
