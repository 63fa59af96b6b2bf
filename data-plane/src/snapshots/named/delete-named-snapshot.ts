import { entryOf } from '../../policy/audit/asked-by.ts';
import type { Database } from '../../registry/connect.ts';
import { deleteNamedSnapshot as remove } from '../../registry/snapshots/delete-named-snapshot.ts';
import type { Caller } from '../../sessions/caller.ts';
import { noSnapshot } from './find-named-snapshot.ts';

/**
 * Deletes a snapshot that has a name. Sessions that have started from it keep what they have.
 * @throws Problem 404
 */
export async function deleteNamedSnapshot(
  { db }: { db: Database },
  { caller, name }: { caller: Caller; name: string },
): Promise<void> {
  const entry = entryOf(caller, null, { operation: 'snapshot.delete', name });
  if (!(await remove(db, { tenant: caller.tenant, name, entry }))) throw noSnapshot(name);
}
