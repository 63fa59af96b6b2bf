import { findSnapshot } from '../../registry/snapshots/find-snapshot.ts';
import type { Caller } from '../../sessions/caller.ts';
import { existingSession } from '../../sessions/existing-session.ts';
import { noSnapshot } from '../named/find-named-snapshot.ts';
import { type Transfer, type WriteDependencies, writeTransfer } from './write-transfer.ts';

/** A snapshot of a session, which may have ended, or one with a name. */
type GetInput = { caller: Caller } & ({ sessionId: string; snapshotId: string } | { name: string });

/**
 * A snapshot as one archive, for another deployment.
 * @throws Problem 404; 410 if the session was deleted; 422 if it has too many files; 501 if no key is set
 */
export async function getTransfer(deps: WriteDependencies, { caller, ...key }: GetInput): Promise<Transfer> {
  const { tenant } = caller;
  const sessionId = 'name' in key ? null : key.sessionId;
  if (sessionId !== null) await existingSession(deps.db, { id: sessionId, tenant });
  const ref = 'name' in key ? key.name : key.snapshotId;
  const snapshot = await findSnapshot(deps.db, { ref, tenant });
  if (!snapshot?.sha256 || snapshot.sessionId !== sessionId || snapshot.origin === 'base') throw noSnapshot(ref);
  return await writeTransfer(deps, { ...snapshot, sha256: snapshot.sha256 });
}
