import type { Snapshot } from '@holdfast/specs/public';
import type { Database } from '../registry/connect.ts';
import { listSnapshots as list } from '../registry/snapshots/list-snapshots.ts';
import type { Caller } from '../sessions/caller.ts';
import { existingSession } from '../sessions/existing-session.ts';
import { snapshotView } from '../state/snapshot-view.ts';

type ListInput = { caller: Caller; sessionId: string };

/**
 * The snapshots of a session, newest first, also after its end.
 * @throws Problem 404; 410 if the session was deleted
 */
export async function listSnapshots(
  { db }: { db: Database },
  { caller, sessionId }: ListInput,
): Promise<{ items: Snapshot[] }> {
  await existingSession(db, { id: sessionId, tenant: caller.tenant });
  return { items: (await list(db, { sessionId })).map(snapshotView) };
}
