import type { SnapshotRow } from '../../registry/schema/snapshots.ts';
import { findSnapshot } from '../../registry/snapshots/find-snapshot.ts';
import type { Caller } from '../../sessions/caller.ts';
import { existingSession } from '../../sessions/existing-session.ts';
import { findNamedSnapshot, noSnapshot } from '../named/find-named-snapshot.ts';
import { type Transfer, type WriteDependencies, writeTransfer } from './write-transfer.ts';

/**
 * A snapshot of a session, which may have ended, for another deployment.
 * @throws Problem 404; 410 if the session was deleted; 422 if the snapshot has too many files; 501 if no key is set
 */
export async function getTransfer(
  deps: WriteDependencies,
  { caller: { tenant }, sessionId, snapshotId }: { caller: Caller; sessionId: string; snapshotId: string },
): Promise<Transfer> {
  await existingSession(deps.db, { id: sessionId, tenant });
  const snapshot = await findSnapshot(deps.db, { ref: snapshotId, tenant });
  const isOwn = snapshot?.sessionId === sessionId && snapshot.origin !== 'base';
  return await transferOf(deps, isOwn ? snapshot : null, snapshotId);
}

/**
 * A snapshot that has a name, for another deployment.
 * @throws Problem 404; 422 if it has too many files; 501 if no key is set
 */
export async function getNamedTransfer(
  deps: WriteDependencies,
  { caller, name }: { caller: Caller; name: string },
): Promise<Transfer> {
  return await transferOf(deps, await findNamedSnapshot(deps, { caller, name }), name);
}

async function transferOf(deps: WriteDependencies, snapshot: SnapshotRow | null, ref: string): Promise<Transfer> {
  if (!snapshot?.sha256) throw noSnapshot(ref);
  return await writeTransfer(deps, { ...snapshot, sha256: snapshot.sha256 });
}
