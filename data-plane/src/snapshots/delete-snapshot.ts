import { entryOf } from '../policy/audit/asked-by.ts';
import { recordAudit } from '../registry/audit/record-audit.ts';
import type { Database } from '../registry/connect.ts';
import { deleteSnapshot as remove } from '../registry/snapshots/delete-snapshot.ts';
import type { Caller } from '../sessions/caller.ts';
import { existingSession } from '../sessions/existing-session.ts';
import { noSnapshot } from './named/find-named-snapshot.ts';

type DeleteInput = { caller: Caller; sessionId: string; snapshotId: string };

/**
 * Deletes a snapshot that a client asked for. A named copy of it stays.
 * @throws Problem 404; 410 if the session was deleted
 */
export async function deleteSnapshot(
  { db }: { db: Database },
  { caller, sessionId, snapshotId }: DeleteInput,
): Promise<void> {
  await existingSession(db, { id: sessionId, tenant: caller.tenant });
  const isDeleted = await db.transaction(async (tx) => {
    const entry = entryOf(caller, sessionId, { operation: 'snapshot.delete', snapshotId });
    const wasThere = await remove(tx, { sessionId, id: snapshotId });
    if (wasThere) await recordAudit(tx, entry);
    return wasThere;
  });
  if (!isDeleted) throw noSnapshot(snapshotId);
}
